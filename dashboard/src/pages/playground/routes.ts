import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/playground',
    /** IDs of the Tool Pack and the user, the name of the tool, and the searched text. */
    validateSearch: (search): { pack?: string; user?: string; tool?: string; q?: string } => ({
      ...readText(search, 'pack'),
      ...readText(search, 'user'),
      ...readText(search, 'tool'),
      ...readText(search, 'q'),
    }),
    component: lazyRouteComponent(() => import('./playground-page.tsx')),
  }),
] as const
