import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { type Mode, type Session, sessionQuery } from './api/session.ts'
import { readText } from './read-search.ts'
import { PageNotFound } from './shell/page-not-found.tsx'
import { Shell } from './shell/shell.tsx'

/** The routes that pages hang on. Each page defines its own in `pages/<name>/routes.ts`; `router.ts` assembles them. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: PageNotFound,
})

const requireSession = async (queryClient: QueryClient, href: string): Promise<Session> => {
  const session = await queryClient.ensureQueryData(sessionQuery)
  if (session) return session
  queryClient.removeQueries(sessionQuery)
  throw redirect({ to: '/sign-in', search: { next: `/dashboard${href}` } })
}

const MODE_KEY = 'carabiner.mode'
const ORGANIZATION_KEY = 'carabiner.organization'
const isMode = (text: string | null): text is Mode => text === 'production' || text === 'test'

/** `/dashboard`: the organization and mode that were used last in this browser. Default: the first organization, test mode. */
export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ context, location }) => {
    const session = await requireSession(context.queryClient, location.href)
    const { organizations } = session
    const last = localStorage.getItem(ORGANIZATION_KEY)
    const organization = organizations.find(({ id }) => id === last) ?? organizations[0]
    if (!organization) {
      if (session.is_operator) throw redirect({ to: '/operator/organizations' })
      throw redirect({ to: '/no-organization' })
    }
    const stored = localStorage.getItem(MODE_KEY)
    const mode = isMode(stored) ? stored : 'test'
    throw redirect({ to: '/o/$organization/$mode', params: { organization: organization.id, mode } })
  },
})

/** Organization and mode are part of every URL, so that links can be shared. */
export const scopeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$organization/$mode',
  params: {
    parse: ({ organization, mode }) => {
      if (!isMode(mode)) throw notFound()
      return { organization, mode }
    },
  },
  beforeLoad: async ({ context, location, params }) => {
    const session = await requireSession(context.queryClient, location.href)
    if (!session.organizations.some(({ id }) => id === params.organization)) throw notFound()
    localStorage.setItem(MODE_KEY, params.mode)
    localStorage.setItem(ORGANIZATION_KEY, params.organization)
  },
  component: Shell,
})

/** Pages for operators of the installation. */
export const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/operator',
  beforeLoad: async ({ context, location }) => {
    const session = await requireSession(context.queryClient, location.href)
    if (!session.is_operator) throw notFound()
  },
  component: lazyRouteComponent(() => import('./shell/operator-shell.tsx')),
})

/** For a person without an organization, and after a deletion. */
export const noOrganizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/no-organization',
  /** `deleted`: the name of the organization that was deleted. */
  validateSearch: (search): { deleted?: string } => readText(search, 'deleted'),
  beforeLoad: async ({ context, location }) => {
    await requireSession(context.queryClient, location.href)
  },
  component: lazyRouteComponent(() => import('./shell/no-organization-page.tsx')),
})
