import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { chooseScope, isMode, rememberScope } from './api/preferences.ts'
import { type Session, sessionQuery } from './api/session.ts'
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

/** `/dashboard`: the organization and mode that were used last in this browser. */
export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ context, location }) => {
    const session = await requireSession(context.queryClient, location.href)
    const scope = chooseScope(session)
    if (scope) throw redirect({ to: '/o/$organization/$mode', params: scope })
    throw redirect({ to: session.is_operator ? '/operator/organizations' : '/no-organization' })
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
    rememberScope(params)
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
