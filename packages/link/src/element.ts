import { startLink } from './create-link.ts'
import type { LinkError } from './link-error.ts'
import type { Link, LinkMode, LinkTheme } from './types.ts'

/** `<account-link link-token="…">Connect</account-link>`: a button in a shadow tree, styled with `::part(button)`. */
export interface AccountLinkElement extends HTMLElement {
  open: () => void
  exit: () => void
  readonly isReady: boolean
  readonly error: LinkError | null
}

declare global {
  interface HTMLElementTagNameMap {
    'account-link': AccountLinkElement
  }
}

const defineElement = (): void => {
  class AccountLink extends HTMLElement implements AccountLinkElement {
    static observedAttributes = ['link-token', 'link-url']
    #link: Link | undefined
    #button = document.createElement('button')

    constructor() {
      super()
      this.#button.type = 'button'
      this.#button.part.add('button')
      this.#button.disabled = true
      this.#button.append(document.createElement('slot'))
      this.#button.addEventListener('click', () => this.open())
      this.attachShadow({ mode: 'open', delegatesFocus: true }).append(this.#button)
    }

    get isReady(): boolean {
      return !!this.#link?.isReady
    }
    get error(): LinkError | null {
      return this.#link?.error ?? null
    }
    open = (): void => this.#link?.open()
    exit = (): void => this.#link?.exit()

    connectedCallback(): void {
      this.attributeChangedCallback()
    }
    disconnectedCallback(): void {
      this.#link?.destroy()
      this.#link = undefined
      this.#button.disabled = true
    }
    attributeChangedCallback(): void {
      this.disconnectedCallback()
      const text = (name: string) => this.getAttribute(name) ?? undefined
      const send = (type: string, detail: unknown) => this.dispatchEvent(new CustomEvent(type, { detail }))
      const linkToken = text('link-token')
      if (!linkToken || !this.isConnected) return
      this.#link = startLink(
        () => ({
          linkToken,
          linkUrl: text('link-url'),
          mode: text('mode') as LinkMode | undefined,
          lang: text('lang'),
          theme: text('theme') as LinkTheme | undefined,
          onSuccess: success => send('success', success),
          onExit: error => send('exit', error),
          onEvent: (name, detail) => send('event', { name, detail }),
        }),
        () => {
          this.#button.disabled = !this.isReady
        },
      )
    }
  }
  customElements.define('account-link', AccountLink)
}

// There are no custom elements on a server. If a page loads this module twice, the first definition is kept.
if (globalThis.customElements && !customElements.get('account-link')) defineElement()
