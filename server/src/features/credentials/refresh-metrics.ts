import { addCounter, type CounterCell, type Metrics } from '../../platform/metrics/metrics.ts'

/**
 * `refreshed`: new tokens were stored. `rejected`: the provider no longer accepts the grant, and the user must link again.
 * `failed`: the provider did not respond, or not as expected; the next call retries.
 */
export type RefreshOutcome = 'refreshed' | 'rejected' | 'failed'

export type CountRefresh = (connectorSlug: string, outcome: RefreshOutcome) => void

export const createRefreshCounter = (metrics: Metrics, catalogSlugs: readonly string[]): CountRefresh => {
  const counter = addCounter(metrics, {
    name: 'carabiner_token_refreshes_total',
    help: 'Token refreshes by connector and outcome. Connectors of organizations are `custom`.',
  })
  const cellsOf = (connector: string): Record<RefreshOutcome, CounterCell> => ({
    refreshed: counter.cell({ connector, outcome: 'refreshed' }),
    rejected: counter.cell({ connector, outcome: 'rejected' }),
    failed: counter.cell({ connector, outcome: 'failed' }),
  })
  const known = new Map(catalogSlugs.map(slug => [slug, cellsOf(slug)]))
  const custom = cellsOf('custom')
  return (connectorSlug, outcome) => {
    ;(known.get(connectorSlug) ?? custom)[outcome].value++
  }
}
