export type Page = { url: URL; status: number; headers: Headers; html: string }

const CHECKED_BOX = /<input type="checkbox" name="([^"]+)" value="([^"]+)" checked>/g

type Cookie = { value: string; path: string }

/** A minimal browser that stores cookies, follows redirects and submits forms. */
export class CookieBrowser {
  readonly #cookies = new Map<string, Cookie>()

  /** Follows redirects until a page is shown or a redirect leaves the initial origin. */
  async open(address: string | URL, init: RequestInit = {}): Promise<Page> {
    const { origin } = new URL(address)
    let url = new URL(address)
    let request = init
    for (let hops = 0; hops < 10; hops++) {
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: { ...Object.fromEntries(new Headers(request.headers)), cookie: this.#cookieHeader(url) },
      })
      this.#keepCookies(response)
      const html = await response.text()
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, headers: response.headers, html }
      url = new URL(location, url)
      if (url.origin !== origin) return { url, status: response.status, headers: response.headers, html: '' }
      request = {}
    }
    throw new Error('too many redirects')
  }

  /** Submits the form of the button with its checked boxes, except those in `untick`. */
  press(page: Page, name: string, value: string, { untick = [] as string[] } = {}): Promise<Page> {
    const button = `name="${name}" value="${value}"`
    if (!page.html.includes(button)) throw new Error(`no button ${button} on ${page.url.pathname}`)
    const body = new URLSearchParams()
    for (const [, box = '', ticked = ''] of page.html.matchAll(CHECKED_BOX)) {
      if (!untick.includes(ticked)) body.append(box, ticked)
    }
    body.set(name, value)
    return this.open(page.url, { method: 'POST', body })
  }

  #cookieHeader({ pathname }: URL): string {
    return [...this.#cookies]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  }

  #keepCookies(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/'
      if (value === '' || line.includes('expires=Thu, 01 Jan 1970')) this.#cookies.delete(name)
      else this.#cookies.set(name, { value, path })
    }
  }
}
