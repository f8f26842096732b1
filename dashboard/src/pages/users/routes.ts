import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const userRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/users',
    /** `q`: the searched ID; `user`: the user whose details are open; `new`: the dialog that is open. */
    validateSearch: (search): { q?: string; user?: string; new?: string } => ({
      ...readText(search, 'q'),
      ...readText(search, 'user'),
      ...readText(search, 'new'),
    }),
    component: lazyRouteComponent(() => import('./users-page.tsx')),
  }),
] as const
