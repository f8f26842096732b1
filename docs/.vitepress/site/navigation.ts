import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { SECTIONS } from './sections.ts'

export type Page = {
  /** Path of the source in `docs/`. */
  file: string
  /** Address without the base: `/guides/magic-link`. */
  link: string
  section: string
  /** Heading above the page in the sidebar. */
  group: string | undefined
  title: string
  description: string
  order: number
  source: string
}

const LAST = 1000

/** All pages, in the order of the sidebar. */
export const readPages = (folder: string): Page[] =>
  globSync('**/*.md', { cwd: folder, exclude: ['node_modules/**', '.vitepress/**'] })
    .map(file => readPage(folder, file.replaceAll('\\', '/')))
    .toSorted(
      (a, b) => sectionIndex(a) - sectionIndex(b) || a.order - b.order || a.title.localeCompare(b.title),
    )

const readPage = (folder: string, file: string): Page => {
  const [frontmatter, text] = splitFrontmatter(readFileSync(join(folder, file), 'utf8'))
  const field = (name: string) => new RegExp(`^${name}: *(.+)$`, 'm').exec(frontmatter)?.[1]?.trim()
  // The page includes this file of the repository.
  const included = field('source')
  const source = included ? readFileSync(join(folder, '..', included), 'utf8') : text
  const heading = /^# (.+)$/m.exec(source)?.[1]?.replaceAll('`', '')
  const title = field('title') ?? heading
  if (title === undefined) throw new Error(`docs/${file} has neither a heading nor a title.`)
  return {
    file,
    link: `/${file.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`,
    section: field('section') ?? (dirname(file).split('/')[0] as string),
    group: field('group'),
    title,
    description: field('description') ?? firstParagraph(source),
    order: Number(field('order') ?? LAST),
    source,
  }
}

const splitFrontmatter = (text: string): [frontmatter: string, source: string] => {
  const found = /^---\n(.*?)\n---\n/s.exec(text)
  return found ? [found[1] as string, text.slice(found[0].length)] : ['', text]
}

const MAX_DESCRIPTION_LENGTH = 200

/** The first sentences of the page as plain text. */
const firstParagraph = (source: string): string => {
  const paragraphs = source.split(/\n{2,}/).map(text => text.trim())
  const prose = paragraphs.find(text => /^[^#<`|\->[!*:]/.test(text) && !/^\d\./.test(text)) ?? ''
  const text = prose
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ')
  const sentences = text.match(/[^.:]+(?:[.:](?!\s)[^.:]*)*[.:]?/g) ?? [text]
  let result = ''
  for (const sentence of sentences) {
    if (result !== '' && result.length + sentence.length > MAX_DESCRIPTION_LENGTH) break
    result += sentence
  }
  return result.trim().replace(/:$/, '.')
}

const sectionIndex = ({ section, file }: Page): number => {
  if (section === '.') return -1
  const index = SECTIONS.findIndex(([folder]) => folder === section)
  if (index === -1) throw new Error(`docs/${file} is in "${section}", which is not a section.`)
  return index
}

/** Folders inside a section are listed by their index only. */
const isListed = ({ file }: Page): boolean => file.split('/').length < 3 || file.endsWith('/index.md')

export const makeSidebar = (pages: Page[]): DefaultTheme.SidebarItem[] =>
  SECTIONS.flatMap(([folder, text]) => {
    const items = groupPages(pages.filter(page => page.section === folder && isListed(page)))
    return items.length > 0 ? [{ text, collapsed: folder !== 'get-started', items }] : []
  })

const groupPages = (pages: Page[]): DefaultTheme.SidebarItem[] =>
  [...Map.groupBy(pages, ({ group }) => group)].flatMap(([group, members]): DefaultTheme.SidebarItem[] => {
    const items = members.map(({ title, link }) => ({ text: title, link }))
    return group === undefined ? items : [{ text: group, items }]
  })

export const navigation: DefaultTheme.NavItem[] = [
  { text: 'Get started', link: '/get-started/', activeMatch: '/get-started/' },
  { text: 'Guides', link: '/guides/', activeMatch: '/guides/' },
  { text: 'Reference', link: '/reference/', activeMatch: '/(reference/|errors)' },
  { text: 'API', link: '/api/', activeMatch: '/api/' },
]
