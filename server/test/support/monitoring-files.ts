import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
export const ALERTS = join(ROOT, 'deploy/prometheus/alerts.yml')
export const ALERT_TESTS = join(ROOT, 'server/test/monitoring/alerts.test.yml')
const DASHBOARD = join(ROOT, 'deploy/grafana/carabiner.json')

type Panel = { id: number; type: string; title: string; targets?: { expr: string }[] }
type Dashboard = { panels: Panel[]; templating: { list: { query: string }[] } }

export const readDashboard = (): Dashboard => JSON.parse(readFileSync(DASHBOARD, 'utf8'))

const METRIC = /\b(?:carabiner|process|nodejs)_[a-z0-9_]+\b/g

/** The metrics that the dashboard and the alerts read. */
export const metricsInUse = (): string[] => {
  const { panels, templating } = readDashboard()
  const expressions = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => query),
    readFileSync(ALERTS, 'utf8'),
  ]
  return [...new Set(expressions.flatMap(text => text.match(METRIC) ?? []))]
}
