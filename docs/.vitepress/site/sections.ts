/** The sections in the order of the sidebar. A page belongs to the folder it is in, or to the section that its frontmatter names. */
export const SECTIONS: [folder: string, title: string][] = [
  ['get-started', 'Get started'],
  ['concepts', 'Concepts'],
  ['guides', 'Guides'],
  ['frameworks', 'Frameworks'],
  ['reference', 'Reference'],
  ['api', 'API reference'],
  ['operate', 'Operate'],
  ['security', 'Security'],
  ['help', 'Help'],
  ['project', 'Project'],
]

export const sectionTitles: ReadonlyMap<string, string> = new Map(SECTIONS)

/** Of an address such as `/guides/explain`. The pages of no folder have none. */
export const sectionTitleOf = (address: string): string | undefined =>
  sectionTitles.get(address.split('/')[1] ?? '')
