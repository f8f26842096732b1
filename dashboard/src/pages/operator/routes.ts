import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readOption, readText } from '../../read-search.ts'
import { operatorRoute } from '../../routes.tsx'
import { STATE_FILTERS, type StateFilter } from './organizations/states.ts'

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/operator/organizations' })
    },
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/organizations',
    /** `q`: the searched text; `id`: the organization whose details are open. */
    validateSearch: (search): { q?: string; state?: StateFilter; id?: string } => ({
      ...readText(search, 'q'),
      ...readOption(search, 'state', STATE_FILTERS),
      ...readText(search, 'id'),
    }),
    component: lazyRouteComponent(() => import('./organizations/organizations-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/people',
    validateSearch: (search): { q?: string } => readText(search, 'q'),
    component: lazyRouteComponent(() => import('./people/people-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/health',
    component: lazyRouteComponent(() => import('./health/health-page.tsx')),
  }),
] as const
