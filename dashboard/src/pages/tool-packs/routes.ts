import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readChoice, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import { PACK_TABS, type PackTab } from './pack-search.ts'

export const toolPackRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/tool-packs',
    component: lazyRouteComponent(() => import('./tool-packs-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/tool-packs/$packId',
    /** `q`: the searched tool; `user`: the user of the shown MCP URL. */
    validateSearch: (search): { tab?: PackTab; q?: string; user?: string } => ({
      ...(search['tab'] !== undefined && { tab: readChoice(search, 'tab', PACK_TABS) }),
      ...readText(search, 'q'),
      ...readText(search, 'user'),
    }),
    component: lazyRouteComponent(() => import('./tool-pack-page.tsx')),
  }),
] as const
