import type { InstallationHealth } from '@carabiner/contract'
import type { ReactNode } from 'react'
import { Card } from '../../../ui/card.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { bytes, duration, every } from './format.ts'
import { StatusDot } from './health-summary.tsx'

type Health = InstallationHealth

/** What each job does, for people. */
const JOBS: Record<string, string> = {
  'revoke-tokens': 'Revoke tokens',
  'expire-codes': 'Expire authorization codes',
  'resume-connections': 'Resume paused connections',
  'end-abandoned-changes': 'Complete the audit trail',
  'delete-organizations': 'Delete organizations',
  'keep-alive': 'Refresh idle credentials',
  'check-tools': 'Check MCP servers for new tools',
  retention: 'Delete expired data',
}

const Row = ({ children }: { children: ReactNode }) => (
  <li className="flex items-baseline justify-between gap-4 px-4.5 py-2.5 text-sm md:px-5">{children}</li>
)

export const Jobs = ({ jobs }: { jobs: Health['jobs'] }) => (
  <Card title="Jobs" note="Last successful run, in any process." isFlush>
    <ul className="divide-y divide-line">
      {jobs.map(({ name, status, last_success_at, interval_seconds }) => (
        <Row key={name}>
          <span className="min-w-0">
            <StatusDot status={status} />
            {JOBS[name] ?? name}
            <span className="text-muted"> {every(interval_seconds)}</span>
          </span>
          <span className="whitespace-nowrap text-muted">
            {last_success_at ? <RelativeTime at={last_success_at} /> : 'Not yet'}
          </span>
        </Row>
      ))}
    </ul>
  </Card>
)

const QUEUES: Record<Health['queues'][number]['name'], string> = {
  webhooks: 'Webhook deliveries',
  revocations: 'Revocations',
  refreshes: 'Idle credentials',
  deletions: 'Organization deletions',
}

export const Queues = ({ queues }: { queues: Health['queues'] }) => (
  <Card title="Waiting" note="Work that is due now." isFlush>
    <ul className="divide-y divide-line">
      {queues.map(({ name, status, waiting, oldest_seconds }) => (
        <Row key={name}>
          <span>
            <StatusDot status={status} />
            {QUEUES[name]}
          </span>
          <span className="text-muted tabular-nums">
            {waiting === 0 ? 'None' : waiting.toLocaleString()}
            {waiting > 0 && oldest_seconds !== null && `, oldest ${duration(oldest_seconds)}`}
          </span>
        </Row>
      ))}
    </ul>
  </Card>
)

export const Checks = ({ checks }: { checks: Health['checks'] }) => (
  <Card title="Checks" note="The checks of carabiner doctor that a running service can perform." isFlush>
    <ul className="divide-y divide-line">
      {checks.map(({ name, status, found }) => (
        <Row key={`${name} ${found}`}>
          <span className="whitespace-nowrap">
            <StatusDot status={status} />
            {name.replace(/^./, letter => letter.toUpperCase())}
          </span>
          <span className="min-w-0 text-end break-words text-muted">{found}</span>
        </Row>
      ))}
    </ul>
  </Card>
)

export const Storage = ({ tables }: { tables: Health['storage'] }) => {
  const max = Math.max(1, ...tables.map(table => table.bytes))
  return (
    <Card title="Largest tables" note="Including indexes. Row counts are estimates." isFlush>
      <ul className="divide-y divide-line">
        {tables.map(({ table, bytes: size, rows }) => (
          <li
            key={table}
            className="grid grid-cols-[minmax(0,12rem)_minmax(0,1fr)_auto] items-center gap-4 px-4.5 py-2.5 text-sm md:px-5"
          >
            <code className="truncate font-mono text-xs">{table}</code>
            <span className="h-1.5 overflow-hidden rounded-full bg-line" aria-hidden="true">
              <span
                className="block h-full rounded-full bg-faint"
                style={{ width: `${(size / max) * 100}%` }}
              />
            </span>
            <span className="text-end text-muted tabular-nums">
              {bytes(size)}
              <span className="max-md:hidden">, {rows.toLocaleString()} rows</span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
