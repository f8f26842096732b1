/** Where the person meets Link: by a magic link, on the hosted page, or inside the application. */
export const surfaces = ['magic_link', 'hosted', 'embedded'] as const
export type Surface = (typeof surfaces)[number]

/** How a session is shown. It travels in the address of every page, and with the attempt to the third party and back. */
export type View = {
  surface: Surface
  lang: string | null
  theme: 'light' | 'dark' | null
  /** The origin of the embedding page; the session's list decides whether it counts. */
  opener: string | null
  /** What the embedding component knows its own frame by. */
  nonce: string | null
}

type Parameters = Record<string, unknown>

const text = (value: unknown, pattern: RegExp): string | null =>
  typeof value === 'string' && pattern.test(value) ? value : null

/** `surface`: where the person is, unless the address says where they came from. */
export const readView = (parameters: Parameters, surface: Surface): View => ({
  surface: surfaces.find(known => known === parameters.surface) ?? surface,
  lang: text(parameters.lang, /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}$/),
  theme: parameters.theme === 'light' || parameters.theme === 'dark' ? parameters.theme : null,
  opener: text(parameters.opener, /^https?:\/\/[^\s/?#]{1,255}$/),
  nonce: text(parameters.nonce, /^[\w-]{8,64}$/),
})

const given = ({ surface, lang, theme, opener, nonce }: View): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      surface: surface === 'magic_link' ? null : surface,
      lang,
      theme,
      opener,
      nonce,
    }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )

/** The query of one more page of the same session, empty where there is nothing to say. */
export const viewQuery = (view: View, more: Record<string, string | null> = {}): string => {
  const parameters = new URLSearchParams(given(view))
  for (const [name, value] of Object.entries(more)) {
    if (value === null) parameters.delete(name)
    else parameters.set(name, value)
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

export const serialiseView = (view: View): string => new URLSearchParams(given(view)).toString()

export const parseView = (serialised: string): View =>
  readView(Object.fromEntries(new URLSearchParams(serialised.slice(0, 1024))), 'magic_link')
