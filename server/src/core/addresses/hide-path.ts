/** A URL whose path and query are not shown, because they may contain a secret. */
export const hidePath = (url: string): string => {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? url : `${origin}/…`
}
