import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readChoice, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const DELIVERY_STATUSES = ['all', 'failed', 'pending', 'delivered'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

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
    /** `delivery`: the open delivery. */
    validateSearch: (search): { status: DeliveryStatus; delivery?: string } => ({
      status: readChoice(search, 'status', DELIVERY_STATUSES),
      ...readText(search, 'delivery'),
    }),
    component: lazyRouteComponent(() => import('./endpoint-page.tsx')),
  }),
] as const
