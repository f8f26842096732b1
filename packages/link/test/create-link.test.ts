import assert from 'node:assert/strict'
import { beforeEach, mock, type TestContext, test } from 'node:test'
import {
  browser,
  completedState,
  dialog,
  FakeEventSource,
  failedState,
  frame,
  installBrowser,
  LINK,
  nonceOf,
  ORIGIN,
  openState,
  post,
  SESSION_URL,
  sessionResponse,
  settled,
  stream,
} from './fake-browser.ts'

// Imported through a variable, because the tests are compiled without the browser types that the module uses.
const source: string = '../src/create-link.ts'
const { createLink } = await import(source)
const globals = globalThis as any

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-01-01T12:00:00Z') })
  installBrowser()
})

const start = async (t: TestContext, options: Record<string, unknown> = {}) => {
  const calls: [name: string, ...details: any[]][] = []
  const record = (name: string) => (detail: unknown) => void calls.push([name, detail])
  const link = createLink({
    linkToken: 'cb_lnk_1',
    linkUrl: LINK,
    onSuccess: record('success'),
    onExit: record('exit'),
    onEvent: (name: string, detail: unknown) => void calls.push(['event', name, detail]),
    onLoad: () => void calls.push(['load']),
    ...options,
  })
  t.after(() => link.destroy())
  await settled()
  const outcomes = () => calls.filter(([name]) => name === 'success' || name === 'exit')
  const events = () => calls.filter(([name]) => name === 'event').map(([, name]) => name as string)
  return { link, calls, outcomes, events }
}
const pass = async (milliseconds: number) => {
  mock.timers.tick(milliseconds)
  await settled()
}
const postFromFrame = (type: string) => post(frame().contentWindow, { carabiner: nonceOf(frame().src), type })

test('the token is exchanged as a form without cookies or referrer, then Link is ready', async t => {
  const { link, calls, events } = await start(t)
  const [request, ...others] = browser.requests
  assert.equal(others.length, 0)
  assert.equal(request?.url, `${LINK}/sessions`)
  assert.deepEqual(request?.init.headers, { authorization: 'Bearer cb_lnk_1' })
  assert.equal(request?.init.body, undefined)
  assert.equal(request?.init.credentials, 'omit')
  assert.equal(request?.init.referrerPolicy, 'no-referrer')
  assert.equal(link.isReady, true)
  assert.equal(link.error, null)
  assert.ok(calls.some(([name]) => name === 'load'))
  assert.deepEqual(events(), ['loaded'])
})

test('a token with characters that no header can contain is sent encoded, and rejected by the service', async t => {
  await start(t, { linkToken: 'cb_lnk_\0ä' })
  assert.deepEqual(browser.requests[0]?.init.headers, { authorization: 'Bearer cb_lnk_%00%C3%A4' })
})

test('linkUrl: the default is /link at the origin of the page', async t => {
  await start(t, { linkUrl: undefined })
  assert.equal(browser.requests[0]?.url, `${ORIGIN}/link/sessions`)
})

const rejections: [title: string, respond: () => { status: number; body: unknown }, code: string][] = [
  ['an expired token', () => sessionResponse('expired'), 'link_token_expired'],
  ['an inactive user', () => sessionResponse('user_inactive'), 'user_inactive'],
  ['an origin that was removed', () => sessionResponse('unauthorized_origin'), 'unauthorized_origin'],
  [
    'an unknown token',
    () => ({
      status: 404,
      body: { error: { code: 'invalid_link_token', message: 'm', request_id: 'req_1' } },
    }),
    'invalid_link_token',
  ],
  [
    'an origin that is not allowed',
    () => ({
      status: 400,
      body: { error: { code: 'unauthorized_origin', message: 'm', request_id: 'req_1' } },
    }),
    'unauthorized_origin',
  ],
]
for (const [title, respond, code] of rejections)
  test(`${title}: not ready with error ${code}, and open() shows nothing`, async t => {
    browser.session = respond
    const { link, calls } = await start(t)
    assert.equal(link.isReady, false)
    assert.equal(link.error.code, code)
    if (respond().status >= 400) assert.equal(link.error.requestId, 'req_1')
    assert.deepEqual(calls, [['event', 'error', link.error]])
    link.open()
    assert.equal(dialog(), undefined)
    assert.deepEqual(calls.at(-1), ['event', 'open_ignored', { code }])
  })

test('a network failure is retried once, then reported', async t => {
  browser.session = () => {
    throw new TypeError('failed to fetch')
  }
  const { link } = await start(t)
  assert.equal(browser.requests.length, 1)
  assert.equal(link.error, null)
  await pass(1_000)
  assert.equal(browser.requests.length, 2)
  assert.equal(link.error.code, 'network_error')
  await pass(60_000)
  assert.equal(browser.requests.length, 2)
})

test('a response that is not JSON is a network error', async t => {
  browser.session = () => ({ status: 502, body: Promise.reject(new SyntaxError('<html>')) })
  const { link } = await start(t)
  assert.equal(link.error.code, 'network_error')
})

test('the token expires while Link is closed: not ready, and open() is ignored', async t => {
  const { link, events } = await start(t)
  await pass(1_800_000)
  assert.equal(link.isReady, false)
  assert.equal(link.error.code, 'link_token_expired')
  link.open()
  assert.deepEqual(events(), ['loaded', 'error', 'open_ignored'])
  assert.equal(dialog(), undefined)
})

test('a fast local clock does not make a valid token expire', async t => {
  browser.session = () => {
    const response = sessionResponse('open')
    return {
      ...response,
      body: { ...response.body, expires_at: new Date(Date.now() - 3_600_000).toISOString() },
    }
  }
  const { link } = await start(t)
  await pass(1_000)
  assert.equal(link.isReady, true)
})

test('open() before Link is ready only emits open_ignored', async t => {
  const calls: unknown[] = []
  const link = createLink({
    linkToken: 't',
    linkUrl: LINK,
    onEvent: (...event: unknown[]) => void calls.push(event),
  })
  t.after(() => link.destroy())
  link.open()
  assert.deepEqual(calls, [['open_ignored', { code: 'not_ready' }]])
  assert.equal(dialog(), undefined)
})

test('open() shows one modal frame with the opener, a nonce and the options', async t => {
  const { link } = await start(t, { lang: 'de', theme: 'dark' })
  link.open()
  link.open()
  assert.equal(browser.body.children.length, 1)
  assert.ok(dialog()?.isOpen)
  const address = new URL(frame().src)
  assert.equal(address.origin + address.pathname, SESSION_URL)
  assert.deepEqual([...address.searchParams.keys()], ['opener', 'nonce', 'lang', 'theme'])
  assert.equal(address.searchParams.get('opener'), ORIGIN)
  assert.match(nonceOf(frame().src), /^\d{16,40}$/)
  assert.equal(FakeEventSource.all.length, 1)
  assert.equal(stream().url, `${SESSION_URL}/events`)
  assert.equal(globals.document.documentElement.style.overflow, 'hidden')
})

test('completed: one success, no exit, and closing releases all resources', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  stream().emit(openState)
  stream().emit(completedState)
  assert.deepEqual(outcomes(), [['success', { Connector: 'notes', scopes: ['read'] }]])
  assert.ok(dialog())
  postFromFrame('close')
  await pass(2_000)
  assert.equal(dialog(), undefined)
  assert.equal(stream().readyState, 2)
  assert.equal(globals.document.documentElement.style.overflow, 'auto')
  assert.equal(outcomes().length, 1)
})

test('dialog: stays open after success until its page posts close', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  stream().emit(completedState)
  await pass(60_000)
  assert.ok(dialog())
  assert.deepEqual(
    outcomes().map(([name]) => name),
    ['success'],
  )
  postFromFrame('close')
  await pass(1)
  assert.equal(dialog(), undefined)
  assert.equal(outcomes().length, 1)
})

test('dialog: onSuccess is called again for each further connection', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  stream().emit(completedState)
  const result = { Connector: 'vault', scopes: [] }
  post(frame().contentWindow, { carabiner: nonceOf(frame().src), type: 'success', result })
  post(frame().contentWindow, { carabiner: 'another', type: 'success', result })
  postFromFrame('close')
  await pass(1)
  assert.deepEqual(
    outcomes().map(([name, { Connector }]) => [name, Connector]),
    [
      ['success', completedState.Connector],
      ['success', 'vault'],
    ],
  )
})

test('after success, opening the same token flashes Link and exits with link_token_used', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  stream().emit(completedState)
  postFromFrame('close')
  await pass(1)
  assert.equal(link.isReady, true)
  link.open()
  assert.ok(dialog())
  assert.equal(FakeEventSource.all.length, 1)
  await pass(1_500)
  assert.equal(dialog(), undefined)
  assert.deepEqual(
    outcomes().map(([name, detail]) => [name, detail.code]),
    [
      ['success', undefined],
      ['exit', 'link_token_used'],
    ],
  )
})

test('a token that was used before loading: Link is ready, flashes and closes', async t => {
  browser.session = () => sessionResponse('used')
  const { link, outcomes } = await start(t)
  assert.equal(link.isReady, true)
  link.open()
  assert.ok(dialog())
  await pass(1_500)
  assert.equal(dialog(), undefined)
  assert.equal(outcomes()[0]?.[1].code, 'link_token_used')
  assert.equal(outcomes().length, 1)
})

const exits: [title: string, state: object, code: string | null][] = [
  ['nothing happened', openState, null],
  [
    'the last attempt was an exit',
    { ...openState, last: { outcome: 'exit', reason: null, Connector: 'notes' } },
    null,
  ],
  ['the last attempt failed', failedState, 'provider_error'],
  ['the session expired meanwhile', { ...openState, status: 'expired' }, 'link_token_expired'],
  ['the session ended', { ...openState, status: 'ended' }, 'link_ended'],
]
const ways: [way: string, close: (link: any) => void][] = [
  ['the page in the frame', () => postFromFrame('close')],
  ['Escape', () => dialog()?.close()],
  ['the button of the placeholder', () => (dialog() as any).children[1].onclick()],
  ['exit()', link => link.exit()],
]
for (const [title, state, code] of exits)
  for (const [way, close] of ways)
    test(`closed by ${way} when ${title}: one onExit with ${code}`, async t => {
      browser.state = () => state
      const { link, outcomes } = await start(t)
      link.open()
      stream().emit(openState)
      stream().emit(state)
      assert.ok(dialog(), 'the dialog stays open, because its page shows the result')
      close(link)
      await settled()
      assert.equal(dialog(), undefined)
      assert.deepEqual(
        outcomes().map(([name, error]) => [name, error?.code ?? null]),
        [['exit', code]],
      )
      const usable = (state as typeof openState).status === 'open'
      assert.equal(link.isReady, usable)
    })

test('the failure of an earlier opening is not reported again', async t => {
  browser.state = () => failedState
  const { link, outcomes } = await start(t)
  link.open()
  stream().emit(failedState)
  link.exit()
  await settled()
  assert.deepEqual(outcomes(), [['exit', null]])
})

test('`close` is the last event of an opening, after onExit', async t => {
  const { link, calls } = await start(t)
  link.open()
  link.exit()
  await settled()
  assert.deepEqual(calls.slice(-2), [
    ['exit', null],
    ['event', 'close', null],
  ])
})

test('after an exit without an error, Link opens again with the same token', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  link.exit()
  await settled()
  link.open()
  assert.ok(dialog())
  assert.equal(FakeEventSource.all.length, 2)
  assert.equal(outcomes().length, 1)
})

for (const mode of ['iframe', 'popup'])
  test(`${mode}: open() during the final state request opens Link after that request`, async t => {
    const { link, calls, events } = await start(t, { mode })
    link.open()
    link.exit()
    link.open()
    link.open()
    assert.deepEqual(events(), ['loaded', 'open'])
    await settled()
    assert.deepEqual(calls.slice(-3), [
      ['exit', null],
      ['event', 'close', null],
      ['event', 'open', { mode }],
    ])
    assert.equal(mode === 'popup' ? browser.popups.length : FakeEventSource.all.length, 2)
    assert.equal(browser.body.children.length, mode === 'popup' ? 0 : 1)
  })

test('open() during the final state request opens nothing if the state is completed', async t => {
  browser.state = () => completedState
  const { link, outcomes, events } = await start(t)
  link.open()
  postFromFrame('close')
  link.open()
  await pass(5_000)
  assert.equal(outcomes()[0]?.[0], 'success')
  assert.deepEqual(events(), ['loaded', 'open', 'state', 'close'])
  assert.equal(dialog(), undefined)
})

test('destroy() during the final state request cancels a pending open()', async t => {
  const { link, events } = await start(t)
  link.open()
  link.exit()
  link.open()
  link.destroy()
  await settled()
  assert.deepEqual(events(), ['loaded', 'open'])
  assert.equal(dialog(), undefined)
})

test('closing Link before the completed state has arrived still reports success', async t => {
  browser.state = () => completedState
  const { link, outcomes } = await start(t)
  link.open()
  postFromFrame('close')
  assert.equal(dialog(), undefined)
  await pass(5_000)
  assert.deepEqual(outcomes(), [['success', { Connector: 'notes', scopes: ['read'] }]])
})

test('messages with another origin, window, nonce or type are ignored', async t => {
  const { link } = await start(t)
  link.open()
  const nonce = nonceOf(frame().src)
  post(frame().contentWindow, { carabiner: nonce, type: 'close' }, 'https://evil.example')
  post({}, { carabiner: nonce, type: 'close' })
  post(frame().contentWindow, { carabiner: 'guess', type: 'close' })
  post(frame().contentWindow, null)
  post(frame().contentWindow, { carabiner: nonce, type: 'completed' })
  assert.ok(dialog())
  postFromFrame('ready')
  assert.equal(frame().focused, 1)
})

test('"Still loading…" is shown if the page is not ready after ten seconds', async t => {
  const { link } = await start(t)
  link.open()
  await pass(10_000)
  assert.equal(dialog()?.children.at(-1), 'Still loading…')
  link.exit()
  await settled()
  link.open()
  postFromFrame('ready')
  await pass(10_000)
  assert.notEqual(dialog()?.children.at(-1), 'Still loading…')
})

test('if the event stream cannot be opened, the state is polled', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  stream().fail(2)
  await settled()
  const polls = () => browser.requests.filter(({ method }) => method === 'GET')
  assert.equal(polls().length, 1)
  assert.equal(polls()[0]?.init.headers.accept, 'application/json')
  await pass(2_000)
  assert.equal(polls().length, 2)
  browser.state = () => {
    throw new TypeError('offline')
  }
  await pass(2_000)
  browser.state = () => completedState
  await pass(2_000)
  assert.equal(outcomes()[0]?.[0], 'success')
  const count = polls().length
  await pass(10_000)
  assert.equal(polls().length, count, 'a final state ends polling')
  assert.equal(FakeEventSource.all.length, 1)
})

test('three failed reconnections or five seconds without a state switch to polling', async t => {
  const { link } = await start(t)
  const polls = () => browser.requests.filter(({ method }) => method === 'GET').length
  link.open()
  stream().fail()
  stream().fail()
  stream().emit(openState)
  stream().fail()
  stream().fail()
  await settled()
  assert.equal(polls(), 0)
  stream().fail()
  await settled()
  assert.equal(polls(), 1)
  link.exit()
  await settled()
  link.open()
  const before = polls()
  await pass(5_000)
  assert.equal(polls(), before + 1)
  assert.equal(stream().readyState, 2)
})

test('polling ends after the token has expired', async t => {
  const { link } = await start(t)
  link.open()
  stream().fail(2)
  await settled()
  await pass(36 * 60_000)
  const count = browser.requests.length
  await pass(60_000)
  assert.equal(browser.requests.length, count)
})

test('expiry does not close an open Link; once closed, Link is not ready', async t => {
  const { link, events } = await start(t)
  link.open()
  stream().emit(openState)
  await pass(1_800_000)
  assert.ok(dialog())
  assert.ok(!events().includes('error'))
  link.exit()
  await settled()
  assert.equal(link.isReady, false)
  assert.equal(link.error.code, 'link_token_expired')
})

test('popup: opens synchronously; the event stream reports the result, not `closed`', async t => {
  const { link, outcomes } = await start(t, { mode: 'popup' })
  link.open()
  const [popup] = browser.popups
  assert.ok(popup)
  assert.equal(dialog(), undefined)
  assert.deepEqual([...new URL(popup.address).searchParams.keys()], ['opener', 'nonce'])
  popup.closed = true
  await pass(60_000)
  assert.deepEqual(outcomes(), [])
  link.open()
  assert.equal(browser.popups.length, 2, 'open() opens a closed popup again')
  link.open()
  assert.equal(browser.popups[1]?.focused, 1)
  stream().emit(completedState)
  await pass(1_500)
  assert.equal(outcomes().length, 1)
  assert.ok(browser.popups[1]?.closed)
  assert.equal(FakeEventSource.all.length, 1)
})

test('popup: exit() closes it', async t => {
  const { link, outcomes } = await start(t, { mode: 'popup' })
  link.open()
  link.exit()
  await settled()
  assert.ok(browser.popups[0]?.closed)
  assert.deepEqual(outcomes(), [['exit', null]])
})

test('popup: an ended session is reported at once, and the window stays open', async t => {
  const { link, outcomes } = await start(t, { mode: 'popup' })
  link.open()
  stream().emit({ ...openState, status: 'ended' })
  await settled()
  assert.equal(outcomes()[0]?.[1].code, 'link_ended')
  assert.equal(browser.popups[0]?.closed, false)
})

test('popup: a close message from the window is reported as an exit', async t => {
  const { link, outcomes } = await start(t, { mode: 'popup' })
  link.open()
  const [popup] = browser.popups
  post(popup, { carabiner: nonceOf(popup?.address ?? ''), type: 'close' })
  await settled()
  assert.deepEqual(outcomes(), [['exit', null]])
})

test('a blocked popup continues in this tab', async t => {
  browser.blocksPopups = true
  const { link, events } = await start(t, { mode: 'popup', lang: 'de' })
  link.open()
  assert.deepEqual(browser.visited, [`${SESSION_URL}?lang=de`])
  assert.deepEqual(events(), ['loaded', 'popup_blocked', 'open'])
})

test('redirect: navigates this tab, without opener or nonce', async t => {
  const { link } = await start(t, { mode: 'redirect', theme: 'light' })
  link.open()
  assert.deepEqual(browser.visited, [`${SESSION_URL}?theme=light`])
  assert.equal(FakeEventSource.all.length, 0)
})

test('a cross-origin isolated page opens a popup instead of a frame', async t => {
  globals.crossOriginIsolated = true
  const { link } = await start(t)
  link.open()
  assert.equal(browser.popups.length, 1)
  assert.equal(dialog(), undefined)
})

test('destroy() right after creation: no request is sent', async () => {
  const link = createLink({ linkToken: 't', linkUrl: LINK })
  link.destroy()
  await settled()
  assert.equal(browser.requests.length, 0)
})

test('destroy() while open: all resources are released, and no callback is called', async t => {
  const { link, calls } = await start(t)
  link.open()
  const nonce = nonceOf(frame().src)
  const { contentWindow } = frame()
  const before = calls.length
  link.destroy()
  assert.equal(dialog(), undefined)
  assert.equal(stream().readyState, 2)
  assert.equal(globals.document.documentElement.style.overflow, 'auto')
  post(contentWindow, { carabiner: nonce, type: 'close' })
  link.open()
  link.exit()
  await pass(3_600_000)
  assert.equal(calls.length, before)
  assert.equal(link.isReady, false)
})

test('destroy() during the final state request: no callback is called', async t => {
  const { link, outcomes } = await start(t)
  link.open()
  link.exit()
  link.destroy()
  await settled()
  assert.deepEqual(outcomes(), [])
})
