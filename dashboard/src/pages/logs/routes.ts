import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOption, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'

export const TABS = ['calls', 'deliveries', 'audit'] as const
export const RANGES = ['24h', '1h', '7d', '30d', 'custom'] as const
export const DELIVERY_STATUSES = ['', 'pending', 'delivered', 'failed'] as const

/** Filters of the tool calls. All are part of the URL. */
export type CallSearch = {
  outcome?: string
  connector?: string
  tool?: string
  user?: string
  error?: string
  request?: string
  trace?: string
  range?: (typeof RANGES)[number]
  from?: string
  to?: string
}
export type LogsSearch = CallSearch & {
  tab?: (typeof TABS)[number]
  /** The open call, and the one that it is compared with. */
  call?: string
  compare?: string
  live?: string
  status?: (typeof DELIVERY_STATUSES)[number]
  delivery?: string
  /** The sequence number of the open audit entry, and the target to find. */
  entry?: string
  target?: string
}

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
    }),
    component: lazyRouteComponent(() => import('./logs-page.tsx')),
  }),
] as const
