import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { isPagePerson } from './page-person.ts'
import { type Session, sessionQuery } from './session.ts'

/** What the service had loaded when it rendered the page. */
export type PageData = { session: Session; queries: [QueryKey, unknown][] }

export const PAGE_DATA_ID = 'page-data'

export const fillCache = (queryClient: QueryClient, { session, queries }: PageData): void => {
  queryClient.setQueryData(sessionQuery.queryKey, session)
  for (const [key, data] of queries) queryClient.setQueryData(key, data)
}

/** Moves the data of the document into the cache. Returns false if the service has not rendered this page. */
export const takePageData = (queryClient: QueryClient): boolean => {
  const element = document.getElementById(PAGE_DATA_ID)
  if (!element) return false
  const data = JSON.parse(element.textContent) as PageData
  element.remove()
  isPagePerson(data.session.person.id)
  fillCache(queryClient, data)
  return true
}
