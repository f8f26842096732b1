import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import type { ApprovalSearch } from './approval-search.ts'

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/approvals',
    validateSearch: (search): ApprovalSearch => ({
      ...readText(search, 'status'),
      ...readText(search, 'user'),
      ...readText(search, 'approval'),
    }),
    component: lazyRouteComponent(() => import('./approvals-page.tsx')),
  }),
] as const
