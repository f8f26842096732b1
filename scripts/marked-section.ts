/** Replaces the section from `begin` to `end`, markers included. */
export const replaceSection = (page: string, begin: string, end: string, section: string): string => {
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  if (start === -1 || stop === -1) throw new Error(`The document does not contain the marker "${begin}".`)
  return page.slice(0, start) + section + page.slice(stop + end.length)
}
