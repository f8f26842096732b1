import { CSPProvider } from '@base-ui/react/csp-provider'
import { createClient } from '@carabiner/sdk'
import { QueryClientProvider, type QueryKey } from '@tanstack/react-query'
import { createMemoryHistory, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import type { Scope } from './api/client.ts'
import { fillCache, PAGE_DATA_ID, type PageData } from './api/page-data.ts'
import { setServiceOrigin } from './api/page-origin.ts'
import { areFirstStepsDismissed, chooseScope, isMode } from './api/preferences.ts'
import { createQueryClient } from './api/query-client.ts'
import type { Session } from './api/session.ts'
import type { ApiQuery } from './api/use-api-query.ts'
import HomePage from './pages/home/home-page.tsx'
import { SUMMARY } from './pages/home/summary-query.ts'
import { CONNECTORS, FIRST_STEPS } from './pages/home/use-first-steps.ts'
import { CYCLE } from './pages/usage/use-usage.ts'
import { rootRoute, scopeRoute } from './routes.tsx'

export type HomeRequest = {
  /** The path after `/dashboard`. */
  path: string
  baseUrl: string
  /** The cookies of the request. */
  cookies: string
  /** Calls the service as the person who opens the page. */
  fetch: typeof fetch
  signal: AbortSignal
}

const homeRoute = createRoute({ getParentRoute: () => scopeRoute, path: '/', component: HomePage })
const routeTree = rootRoute.addChildren([scopeRoute.addChildren([homeRoute])])

/**
 * Runs in the service: the root element of Home with its content, and its data, so that the page appears before any script has run. A
 * browser could request the data only after it has evaluated the script. Null if the path is another page, or nobody is signed in.
 */
export const renderHome = async (request: HomeRequest): Promise<string | null> => {
  const data = await loadHome(request)
  if (!data) return null
  setServiceOrigin(request.baseUrl)
  // Created for each request, so that no data of one person can appear on the page of another.
  const queryClient = createQueryClient()
  fillCache(queryClient, data)
  const { organization, mode } = data.scope
  const router = createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queryClient },
    history: createMemoryHistory({ initialEntries: [`/dashboard/o/${organization}/${mode}`] }),
  })
  await router.load()
  const markup = renderToString(
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>,
  )
  queryClient.clear()
  return wrap(markup, { session: data.session, queries: data.queries })
}

type HomeData = PageData & { scope: Scope }

const loadHome = async (request: HomeRequest): Promise<HomeData | null> => {
  const { baseUrl, path, cookies, fetch, signal } = request
  const named = readPath(path)
  // At the same time as the session, if the path says which organization is meant.
  const early = named && loadQueries(request, named)
  early?.catch(() => undefined)
  // The new cookie of an extended session could not reach the browser, which extends it later.
  const response = await fetch(`${baseUrl}/dashboard/session?extend=no`, { signal })
  if (!response.ok) return null
  const session = (await response.json()) as Session
  const scope = named ?? (path === '' ? chooseScope(session, cookies) : undefined)
  if (!scope || !session.organizations.some(({ id }) => id === scope.organization)) return null
  return { session, scope, queries: await (early ?? loadQueries(request, scope)) }
}

const SCOPED_PATH = /^o\/([^/]+)\/([^/]+)\/?$/

const readPath = (path: string): Scope | undefined => {
  const [, organization, mode] = SCOPED_PATH.exec(path) ?? []
  return organization !== undefined && isMode(mode) ? { organization, mode } : undefined
}

const loadQueries = ({ baseUrl, cookies, fetch, signal }: HomeRequest, scope: Scope) => {
  const load = async <T,>({ organization, mode }: Scope, query: ApiQuery<T>): Promise<[QueryKey, T]> => {
    const headers = { 'carabiner-organization': organization, 'carabiner-mode': mode }
    const api = createClient({ baseUrl, headers, fetch, retries: 0 })
    return [[organization, mode, ...query.key], await query.load(api, { signal })]
  }
  return Promise.all([
    load(scope, SUMMARY),
    load({ ...scope, mode: 'production' }, CYCLE),
    ...(areFirstStepsDismissed(scope, cookies) ? [] : [load(scope, FIRST_STEPS), load(scope, CONNECTORS)]),
  ])
}

/** The document has one. */
const TITLE = /<title>.*?<\/title>/
/** The content security policy allows none. In text, React escapes the quotation marks. */
const STYLES = / style="[^"]*"/g

/** Inert until the script has replaced it, because nothing in it reacts. */
const wrap = (markup: string, data: PageData): string => {
  // No text of the data can end the element.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return `<div id="root" inert>${markup.replace(TITLE, '').replaceAll(STYLES, '')}</div>
    <script type="application/json" id="${PAGE_DATA_ID}">${json}</script>`
}
