import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const userRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/users',
    /** `q`: the searched ID; `user`: the user whose details are open. */
    validateSearch: (search): { q?: string; user?: string } => ({
      ...readText(search, 'q'),
      ...readText(search, 'user'),
    }),
    component: lazyRouteComponent(() => import('./users-page.tsx')),
  }),
] as const
