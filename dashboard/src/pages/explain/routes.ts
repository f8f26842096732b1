import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const explainRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/explain',
    /** IDs of the user and the Tool Pack, and the name of the tool as in `tools/list`. */
    validateSearch: (search): { user?: string; tool?: string; pack?: string } => ({
      ...readText(search, 'user'),
      ...readText(search, 'tool'),
      ...readText(search, 'pack'),
    }),
    component: lazyRouteComponent(() => import('./explain-page.tsx')),
  }),
] as const
