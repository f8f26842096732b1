import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readChoice, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import { SECURITY_TABS, type SecuritySearch } from './security-search.ts'

export const securityRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/security',
    validateSearch: (search): SecuritySearch => ({
      tab: readChoice(search, 'tab', SECURITY_TABS),
      ...readText(search, 'pack'),
      ...readText(search, 'entity'),
      ...readText(search, 'user'),
    }),
    component: lazyRouteComponent(() => import('./security-page.tsx')),
  }),
] as const
