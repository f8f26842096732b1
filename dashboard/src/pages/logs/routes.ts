import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOption, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import { DELIVERY_STATUSES } from '../webhooks/delivery-search.ts'
import { type LogsSearch, RANGES, TABS } from './logs-search.ts'

export const logsRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/logs',
    validateSearch: (search): LogsSearch => ({
      ...readOption(search, 'tab', TABS),
      ...readOption(search, 'range', RANGES),
      ...readOption(search, 'status', DELIVERY_STATUSES),
      ...readText(search, 'outcome'),
      ...readText(search, 'connector'),
      ...readText(search, 'tool'),
      ...readText(search, 'user'),
      ...readText(search, 'pack'),
      ...readText(search, 'account'),
      ...readText(search, 'error'),
      ...readText(search, 'request'),
      ...readText(search, 'trace'),
      ...readText(search, 'from'),
      ...readText(search, 'to'),
      ...readText(search, 'call'),
      ...readText(search, 'compare'),
      ...readText(search, 'live'),
      ...readText(search, 'delivery'),
      ...readText(search, 'entry'),
      ...readText(search, 'target'),
      ...readText(search, 'action'),
      ...readText(search, 'actor'),
    }),
    component: lazyRouteComponent(() => import('./logs-page.tsx')),
  }),
] as const
