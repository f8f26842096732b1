import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readChoice, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import {
  CONNECTOR_STATES,
  CONNECTOR_TABS,
  type ConnectorState,
  type ConnectorTab,
} from './connector-search.ts'

export const connectorRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/connectors',
    /** `q` and `state`: filters; `connector`: the slug whose details are open, on `tab`. */
    validateSearch: (
      search,
    ): { q?: string; state?: ConnectorState; connector?: string; tab?: ConnectorTab } => ({
      ...readText(search, 'q'),
      ...(search['state'] !== undefined && { state: readChoice(search, 'state', CONNECTOR_STATES) }),
      ...readText(search, 'connector'),
      ...(search['tab'] !== undefined && { tab: readChoice(search, 'tab', CONNECTOR_TABS) }),
    }),
    component: lazyRouteComponent(() => import('./connectors-page.tsx')),
  }),
] as const
