import type { Scope } from '../api/client.ts'
import { ALL_PAGES } from './navigation/other-pages.ts'

/** `path`: without `/dashboard`. */
export type RecentPage = { label: string; path: string }
type Visitor = Scope & { person: string }

const MAX_PAGES = 5

const nameOf = ({ person, organization, mode }: Visitor): string =>
  `carabiner.recent.${person}.${organization}.${mode}`

/** The pages that the person has left last in this tab, the latest first. */
export const readRecentPages = (visitor: Visitor): readonly RecentPage[] => {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(visitor)) ?? '[]') as RecentPage[]
  } catch {
    return []
  }
}

/** The part of a path below organization and mode. */
const pageOf = (path: string): string => path.split('/').slice(4).join('/')

/** Remembers a page by its path and the title that the document had. */
export const rememberPage = (visitor: Visitor, path: string, title: string): void => {
  const known = ALL_PAGES.find(({ to }) => pageOf(to) === pageOf(path))
  const label = known?.label ?? title.replace(/ · Carabiner$/, '')
  const others = readRecentPages(visitor).filter(each => each.path !== path)
  sessionStorage.setItem(nameOf(visitor), JSON.stringify([{ label, path }, ...others].slice(0, MAX_PAGES)))
}
