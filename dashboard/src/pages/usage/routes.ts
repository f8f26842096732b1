import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOption } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const GROUPS = ['day', 'user', 'connector', 'tool'] as const
export const PERIODS = ['cycle', '7d', '30d', '90d'] as const
export type UsageSearch = { by?: (typeof GROUPS)[number]; period?: (typeof PERIODS)[number] }

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
