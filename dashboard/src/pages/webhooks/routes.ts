import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOption, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import { DELIVERY_STATUSES, type DeliverySearch } from './delivery-search.ts'

export const webhookRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/webhooks/event-types',
    /** `type`: the open event type. */
    validateSearch: (search): { type?: string } => readText(search, 'type'),
    component: lazyRouteComponent(() => import('./event-types-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/webhooks/$endpoint',
    validateSearch: (search): DeliverySearch => ({
      ...readOption(search, 'status', DELIVERY_STATUSES),
      ...readText(search, 'delivery'),
    }),
    component: lazyRouteComponent(() => import('./endpoint-page.tsx')),
  }),
] as const
