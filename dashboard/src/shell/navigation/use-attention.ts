import { useApiQuery } from '../../api/use-api-query.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { useMay } from '../use-session.ts'
import type { NavigationItem } from './navigation.ts'

export type Attention = { count: number; label: string }

const REFRESH_MS = 120_000
/** Approvals expire within minutes. */
const REFRESH_APPROVALS_MS = 30_000

/** What waits for a person, by the page on which it is handled. */
export const useAttention = (): ReadonlyMap<NavigationItem['to'], Attention> => {
  const { data: connectors = [] } = useConnectors()
  const { data: endpoints = 0 } = useApiQuery(
    ['webhooks', 'attention'],
    async (api, options) => {
      const { data } = await api.webhookEndpoints.list({ limit: 100 }, options).page()
      return data.filter(({ status }) => status === 'disabled').length
    },
    { refetchInterval: REFRESH_MS },
  )
  const mayApprove = useMay('approve')
  const { data: approvals = 0 } = useApiQuery(
    ['approvals', 'attention'],
    async (api, options) => {
      const { data } = await api.approvals
        .list({ status: 'pending', approver: 'members', limit: 100 }, options)
        .page()
      return data.filter(({ expires_at: at }) => Date.parse(at) > Date.now()).length
    },
    { enabled: mayApprove, refetchInterval: REFRESH_APPROVALS_MS },
  )
  const servers = connectors.filter(({ attention }) => attention !== null).length
  const found: [NavigationItem['to'], Attention][] = [
    ['/o/$organization/$mode/connectors', { count: servers, label: 'with changes or problems' }],
    ['/o/$organization/$mode/approvals', { count: approvals, label: 'waiting for a decision' }],
    ['/o/$organization/$mode/webhooks', { count: endpoints, label: 'disabled' }],
  ]
  return new Map(found.filter(([, { count }]) => count > 0))
}
