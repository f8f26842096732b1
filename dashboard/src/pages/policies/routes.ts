import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import type { PoliciesSearch, RuleSearch } from './policies-search.ts'

export const policyRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/policies',
    validateSearch: (search): PoliciesSearch => readText(search, 'pack'),
    component: lazyRouteComponent(() => import('./policies-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/policies/$ruleId',
    validateSearch: (search): RuleSearch => ({ ...readText(search, 'pack'), ...readText(search, 'starter') }),
    component: lazyRouteComponent(() => import('./rule-page.tsx')),
  }),
] as const
