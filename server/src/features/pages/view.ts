/** How the person reaches Link: by a magic link, on the hosted page, or embedded in the application. */
export const surfaces = ['magic_link', 'hosted', 'embedded'] as const
export type Surface = (typeof surfaces)[number]

/**
 * How a session is displayed. It is part of the address of every page, and is stored with the attempt while the browser is
 * at the provider.
 */
export type View = {
  surface: Surface
  lang: string | null
  theme: 'light' | 'dark' | null
  /** The origin of the embedding page. It is only used if it is one of the session's allowed origins. */
  opener: string | null
  /** Identifies the frame to the embedding component. */
  nonce: string | null
  /** The handle of the My connections page that the person came from. It is only used if its signature is valid. */
  connections: string | null
  /** The key of a framed My connections page, which takes the place of the browser's cookie. */
  frame: string | null
}

type Parameters = Record<string, unknown>

const text = (value: unknown, pattern: RegExp): string | null =>
  typeof value === 'string' && pattern.test(value) ? value : null

/** `surface`: the default if the address does not name a surface. */
export const readView = (parameters: Parameters, surface: Surface): View => ({
  surface: surfaces.find(known => known === parameters.surface) ?? surface,
  lang: text(parameters.lang, /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}$/),
  theme: parameters.theme === 'light' || parameters.theme === 'dark' ? parameters.theme : null,
  opener: text(parameters.opener, /^https?:\/\/[^\s/?#]{1,255}$/),
  nonce: text(parameters.nonce, /^[\w-]{8,64}$/),
  connections: text(parameters.connections, /^[\w-]{68}$/),
  frame: text(parameters.frame, /^[\w-]{22}$/),
})

const toParameters = ({
  surface,
  lang,
  theme,
  opener,
  nonce,
  connections,
  frame,
}: View): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      surface: surface === 'magic_link' ? null : surface,
      lang,
      theme,
      opener,
      nonce,
      connections,
      frame,
    }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )

/** The query string of another page of the same session, or an empty string. */
export const viewQuery = (view: View, more: Record<string, string | null> = {}): string => {
  const parameters = new URLSearchParams(toParameters(view))
  for (const [name, value] of Object.entries(more)) {
    if (value === null) parameters.delete(name)
    else parameters.set(name, value)
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

export const serializeView = (view: View): string => new URLSearchParams(toParameters(view)).toString()

export const parseView = (serialized: string): View =>
  readView(Object.fromEntries(new URLSearchParams(serialized.slice(0, 1024))), 'magic_link')
