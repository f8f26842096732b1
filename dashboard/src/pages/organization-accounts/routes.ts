import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { scopeRoute } from '../../routes.tsx'

export const organizationAccountRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/organization-accounts',
    component: lazyRouteComponent(() => import('./organization-accounts-page.tsx')),
  }),
] as const
