/** A browser without JavaScript: follows redirects within known origins, submits forms, stores cookies per host. */
export type Browser = {
  open(url: string): Promise<Page>
  submit(page: Page, form: Form, values?: Record<string, string>): Promise<Page>
}

/** `status` 0: the browser was redirected out of the known origins, to `url`. */
export type Page = {
  url: string
  status: number
  html: string
  title: string
  forms: Form[]
  links: string[]
}

export type Form = { action: string; fields: Record<string, string>; inputs: string[] }

const MAX_REDIRECTS = 20

export const createBrowser = (origins: readonly string[]): Browser => {
  const cookies = new Map<string, Map<string, string>>()

  const storeCookies = (host: string, headers: Headers): void => {
    const jar = cookies.get(host) ?? new Map<string, string>()
    cookies.set(host, jar)
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }

  const send = (url: string, body: URLSearchParams | undefined): Promise<Response> => {
    const cookie = [...(cookies.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`)
    return fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie.length > 0 && { cookie: cookie.join('; ') }) },
      ...(body && { body }),
    })
  }

  const go = async (address: string, form?: URLSearchParams): Promise<Page> => {
    let url = address
    let body = form
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!origins.includes(new URL(url).origin))
        return { url, status: 0, html: '', title: '', forms: [], links: [] }
      const response = await send(url, body)
      storeCookies(new URL(url).host, response.headers)
      const location = response.headers.get('location')
      const html = await response.text()
      if (!location || response.status < 300 || response.status > 399)
        return readPage(url, response.status, html)
      url = new URL(location, url).href
      body = undefined
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects, the last one to ${new URL(url).origin}.`)
  }

  return {
    open: url => go(url),
    submit: (_page, { action, fields }, values = {}) =>
      go(action, new URLSearchParams({ ...fields, ...values })),
  }
}

const readPage = (url: string, status: number, html: string): Page => ({
  url,
  status,
  html,
  title: decode(/<title>([^<]*)/.exec(html)?.[1] ?? ''),
  forms: [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => readForm(url, form)),
  links: [...html.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) => new URL(decode(href), url).href),
})

const readForm = (url: string, form: string): Form => {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => ({
    name: attribute(tag, 'name') ?? '',
    value: attribute(tag, 'value') ?? '',
    isSent:
      attribute(tag, 'type') === 'hidden' || (attribute(tag, 'type') === 'checkbox' && /\schecked/.test(tag)),
  }))
  return {
    action: new URL(attribute(form, 'action') ?? '', url).href,
    fields: Object.fromEntries(inputs.filter(({ isSent }) => isSent).map(({ name, value }) => [name, value])),
    inputs: inputs.filter(({ isSent }) => !isSent).map(({ name }) => name),
  }
}

const attribute = (tag: string, name: string): string | null => {
  const match = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(tag)
  return match ? decode(match[1] ?? match[2] ?? '') : null
}

const decode = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
