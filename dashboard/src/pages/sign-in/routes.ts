import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { rootRoute } from '../../routes.tsx'

export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    /** `next`: the page to open afterwards; `error`: why the identity provider did not sign the person in. */
    validateSearch: (search): { next?: string; error?: string } => ({
      ...readText(search, 'error'),
      ...readText(search, 'next'),
    }),
    component: lazyRouteComponent(() => import('./sign-in-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/password',
    component: lazyRouteComponent(() => import('./password-page.tsx')),
  }),
] as const
