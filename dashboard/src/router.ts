import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { approvalRoutes } from './pages/approvals/routes.ts'
import { connectorRoutes } from './pages/connectors/routes.ts'
import { explainRoutes } from './pages/explain/routes.ts'
import { homeRoutes } from './pages/home/routes.ts'
import { logsRoutes } from './pages/logs/routes.ts'
import { operatorRoutes } from './pages/operator/routes.ts'
import { organizationAccountRoutes } from './pages/organization-accounts/routes.ts'
import { playgroundRoutes } from './pages/playground/routes.ts'
import { policyRoutes } from './pages/policies/routes.ts'
import { securityRoutes } from './pages/security/routes.ts'
import { settingsRoutes } from './pages/settings/routes.ts'
import { signInRoutes } from './pages/sign-in/routes.ts'
import { toolPackRoutes } from './pages/tool-packs/routes.ts'
import { usageRoutes } from './pages/usage/routes.ts'
import { userRoutes } from './pages/users/routes.ts'
import { webhookRoutes } from './pages/webhooks/routes.ts'
import { indexRoute, noOrganizationRoute, operatorRoute, rootRoute, scopeRoute } from './routes.tsx'
import { PageError } from './shell/page-error.tsx'
import { PageNotFound } from './shell/page-not-found.tsx'

const routeTree = rootRoute.addChildren([
  indexRoute,
  noOrganizationRoute,
  ...signInRoutes,
  operatorRoute.addChildren([...operatorRoutes]),
  scopeRoute.addChildren([
    ...homeRoutes,
    ...logsRoutes,
    ...usageRoutes,
    ...userRoutes,
    ...organizationAccountRoutes,
    ...webhookRoutes,
    ...approvalRoutes,
    ...policyRoutes,
    ...securityRoutes,
    ...connectorRoutes,
    ...toolPackRoutes,
    ...playgroundRoutes,
    ...explainRoutes,
    ...settingsRoutes,
  ]),
])

export const createDashboardRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queryClient },
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: PageNotFound,
    defaultPreload: 'intent',
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>
  }
}
