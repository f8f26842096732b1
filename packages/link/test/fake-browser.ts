import { setImmediate } from 'node:timers/promises'

/** The parts of a browser that Link uses, and a service whose responses the test defines. The e2e tests use real browsers. */
export const ORIGIN = 'https://app.example'
export const LINK = 'https://link.example/link'
export const SESSION_URL = `${LINK}/s/abc`

export class FakeElement {
  style: any = {}
  children: unknown[] = []
  contentWindow = {}
  isConnected = true
  isOpen = false
  focused = 0
  onclose?: () => void
  onclick?: () => void
  src = ''
  readonly tag: string

  constructor(tag: string) {
    this.tag = tag
  }
  append(child: unknown): void {
    this.children.push(child)
  }
  appendChild<T>(child: T): T {
    this.children.push(child)
    return child
  }
  remove(): void {
    this.isConnected = false
    browser.body.children = browser.body.children.filter(child => child !== this)
  }
  showModal(): void {
    this.isOpen = true
  }
  /** Calls `onclose` asynchronously, as browsers do. */
  close(): void {
    if (this.isOpen) queueMicrotask(() => this.onclose?.())
    this.isOpen = false
  }
  focus(): void {
    this.focused++
  }
}

export class FakeEventSource extends EventTarget {
  static all: FakeEventSource[] = []
  readyState = 0
  readonly url: string

  constructor(url: string) {
    super()
    this.url = url
    FakeEventSource.all.push(this)
  }
  close(): void {
    this.readyState = 2
  }
  emit(state: unknown): void {
    this.dispatchEvent(Object.assign(new Event('state'), { data: JSON.stringify(state) }))
  }
  fail(readyState = 0): void {
    this.readyState = readyState
    this.dispatchEvent(new Event('error'))
  }
}

export class FakePopup {
  closed = false
  focused = 0
  readonly address: string

  constructor(address: string) {
    this.address = address
  }
  close(): void {
    this.closed = true
  }
  focus(): void {
    this.focused++
  }
}

export type Request = { url: string; method: string; body: string; init: any }

export const openState = { status: 'open', Connector: null, scopes: [], last: null }
export const completedState = { status: 'completed', Connector: 'notes', scopes: ['read'], last: null }
export const failedState = {
  ...openState,
  last: { outcome: 'error', reason: 'provider_error', Connector: 'notes', at: '2026-01-01T12:00:00.000Z' },
}

const createFakeBrowser = () => ({
  body: new FakeElement('body'),
  window: new EventTarget(),
  requests: [] as Request[],
  popups: [] as FakePopup[],
  blocksPopups: false,
  visited: [] as string[],
  /** Response to `POST /sessions`. May throw, like a network failure. */
  session: (): { status: number; body: unknown } => sessionResponse('open'),
  /** Response to a poll of `GET …/events`. */
  state: (): unknown => openState,
})
export let browser = createFakeBrowser()

export const sessionResponse = (status: string) => ({
  status: 200,
  body: {
    session: 'abc',
    url: SESSION_URL,
    status,
    expires_at: new Date(Date.now() + 1_800_000).toISOString(),
    Connector: null,
  },
})

const fakeFetch = async (url: string, init: any): Promise<unknown> => {
  init.signal?.throwIfAborted()
  browser.requests.push({ url, method: init.method ?? 'GET', body: String(init.body ?? ''), init })
  const { status, body } = init.method === 'POST' ? browser.session() : { status: 200, body: browser.state() }
  return { ok: status < 400, status, json: async () => body }
}

/** Installs a new fake browser in the globals that the modules under test use. */
export const installBrowser = (): void => {
  browser = createFakeBrowser()
  FakeEventSource.all = []
  const documentElement = new FakeElement('html')
  documentElement.style.overflow = 'auto'
  Object.assign(globalThis, {
    document: {
      createElement: (tag: string) => new FakeElement(tag),
      body: browser.body,
      documentElement,
      hidden: false,
    },
    location: {
      href: `${ORIGIN}/settings`,
      origin: ORIGIN,
      assign: (url: string) => browser.visited.push(url),
    },
    EventSource: FakeEventSource,
    fetch: fakeFetch,
    addEventListener: browser.window.addEventListener.bind(browser.window),
    crossOriginIsolated: false,
    innerWidth: 1280,
    outerWidth: 1280,
    outerHeight: 900,
    screenX: 0,
    screenY: 0,
    open: (address: string) => {
      if (browser.blocksPopups) return null
      const popup = new FakePopup(address)
      browser.popups.push(popup)
      return popup
    },
  })
}

export const dialog = (): FakeElement | undefined => browser.body.children[0] as FakeElement | undefined
export const frame = (): FakeElement => dialog()?.children[0] as FakeElement
export const stream = (): FakeEventSource => FakeEventSource.all.at(-1) as FakeEventSource
export const nonceOf = (address: string): string => new URL(address).searchParams.get('nonce') ?? ''

/** Dispatches a message from `source` to the page. */
export const post = (source: unknown, data: unknown, origin = new URL(LINK).origin): void => {
  browser.window.dispatchEvent(Object.assign(new Event('message'), { origin, source, data }))
}

/** Waits until pending promises have settled. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}
