import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOption } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import { GROUPS, PERIODS, type UsageSearch } from './usage-search.ts'

export const usageRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/usage',
    validateSearch: (search): UsageSearch => ({
      ...readOption(search, 'by', GROUPS),
      ...readOption(search, 'period', PERIODS),
    }),
    component: lazyRouteComponent(() => import('./usage-page.tsx')),
  }),
] as const
