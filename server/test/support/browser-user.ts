import { newAddress } from './client-address.ts'

export type Page = { url: string; status: number; html: string; headers: Headers; title: string }

type Form = { action: string; fields: Record<string, string> }

/** A user whose browser runs no JavaScript. It follows links, submits forms and stores cookies per host. */
export type BrowserUser = {
  open(url: string): Promise<Page>
  /** Submits the form whose action matches, with its hidden fields and the given values. */
  submit(page: Page, actionPattern: RegExp, values?: Record<string, string>): Promise<Page>
  follow(page: Page, hrefPattern: RegExp): Promise<Page>
  /** Target of the last redirect that was not followed: another host, or the application. */
  lastLocation: string | null
  cookies: Map<string, Map<string, string>>
}

const decode = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const attribute = (tag: string, name: string): string | null => {
  const match = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(tag)
  return match ? decode(match[1] ?? match[2] ?? '') : null
}

export const readForms = (page: Page): Form[] =>
  [...page.html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => ({
    action: new URL(attribute(form, 'action') ?? '', page.url).href,
    fields: Object.fromEntries(
      [...form.matchAll(/<input\b[^>]*>/g)]
        .filter(
          ([tag]) =>
            attribute(tag, 'type') === 'hidden' ||
            (attribute(tag, 'type') === 'checkbox' && /\schecked/.test(tag)),
        )
        .map(([tag]) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '']),
    ),
  }))

const isLocal = (url: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/)/.test(url)

export const createBrowserUser = (): BrowserUser => {
  const cookies: BrowserUser['cookies'] = new Map()
  const address = newAddress()
  const browser: BrowserUser = { open: url => go(url, 'GET'), submit, follow, lastLocation: null, cookies }

  const storeCookies = (url: string, headers: Headers): void => {
    const { host } = new URL(url)
    const jar = cookies.get(host) ?? new Map<string, string>()
    cookies.set(host, jar)
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', ...value] = pair.split('=')
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value.join('='))
    }
  }

  async function go(url: string, method: 'GET' | 'POST', body?: URLSearchParams): Promise<Page> {
    const jar = cookies.get(new URL(url).host)
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        'x-forwarded-for': address,
        ...(jar?.size && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body && { body: body.toString() }),
    })
    storeCookies(url, response.headers)
    const location = response.headers.get('location')
    if (location && response.status >= 300 && response.status < 400) {
      const next = new URL(location, url).href
      await response.arrayBuffer()
      if (isLocal(next) && !new URL(next).pathname.startsWith('/application')) return go(next, 'GET')
      browser.lastLocation = next
      return { url: next, status: response.status, html: '', headers: response.headers, title: '' }
    }
    const html = await response.text()
    return {
      url,
      status: response.status,
      html,
      headers: response.headers,
      title: decode(/<title>([^<]*)/.exec(html)?.[1] ?? ''),
    }
  }

  async function submit(
    page: Page,
    actionPattern: RegExp,
    values: Record<string, string> = {},
  ): Promise<Page> {
    const form = readForms(page).find(({ action }) => actionPattern.test(action))
    if (!form) throw new Error(`no form with ${actionPattern} at ${page.url} (${page.status}): ${page.title}`)
    return go(form.action, 'POST', new URLSearchParams({ ...form.fields, ...values }))
  }

  async function follow(page: Page, hrefPattern: RegExp): Promise<Page> {
    const href = [...page.html.matchAll(/href="([^"]*)"/g)]
      .map(match => decode(match[1] ?? ''))
      .find(candidate => hrefPattern.test(candidate))
    if (!href) throw new Error(`no link with ${hrefPattern} at ${page.url}`)
    return go(new URL(href, page.url).href, 'GET')
  }
  return browser
}

/** Signs in at the sandbox and submits its consent page, starting at the redirect target of Link's consent page. */
export const consentAtSandbox = async (
  browser: BrowserUser,
  signIn: Page,
  { account = 'ana', decision = 'allow', scopes = null as string[] | null } = {},
): Promise<Page> => {
  const consent = /name="account"/.test(signIn.html)
    ? await browser.submit(signIn, /interaction/, { account })
    : signIn
  return browser.submit(consent, /interaction/, { decision, ...(scopes && { scope: scopes.join(' ') }) })
}

/** Runs the whole flow: opens the link, continues to Notes, signs in, allows. */
export const linkNotes = async (
  browser: BrowserUser,
  magicLinkUrl: string,
  options: { account?: string; decision?: string } = {},
): Promise<Page> => {
  const landing = await browser.open(magicLinkUrl)
  const consentPage =
    /connector=sandbox-notes/.test(landing.html) && !/\/start"/.test(landing.html)
      ? await browser.follow(landing, /connector=sandbox-notes/)
      : landing
  return consentAtSandbox(browser, await browser.submit(consentPage, /\/start$/), options)
}
