import type { AuditEntry } from '@carabiner/sdk'
import { Badge } from '../../../ui/data/badge.tsx'
import { ConnectorNames } from '../../../ui/data/connector-names.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { actionLabel, actorLabel } from './audit-words.ts'

/** Of the lists in Settings and in Logs. */
export const sequenceOf = ({ sequence }: AuditEntry): string => String(sequence)

export const AUDIT_COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'action',
    header: 'Change',
    cell: entry => <Change entry={entry} />,
  },
  { id: 'actor', header: 'By', cell: ({ actor }) => <span title={actor.id}>{actorLabel(actor)}</span> },
  {
    id: 'target',
    header: 'Target',
    isWide: true,
    cell: ({ target }) => <Target target={target} />,
  },
  { id: 'at', header: 'Time', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
]

const Change = ({ entry: { action, outcome } }: { entry: AuditEntry }) => (
  <span className="flex flex-wrap items-center gap-2">
    {actionLabel(action)} {outcome !== 'done' && <OutcomeBadge outcome={outcome} />}
  </span>
)

/** An entry on a phone. */
export const auditCard = (entry: AuditEntry) => (
  <span className="grid w-full min-w-0 gap-1 text-start font-normal">
    <span className="font-medium">
      <Change entry={entry} />
    </span>
    {entry.target.id !== null && (
      <span className="wrap-anywhere">
        <Target target={entry.target} />
      </span>
    )}
    <span className="flex justify-between gap-3 text-xs text-muted">
      {actorLabel(entry.actor)}
      <RelativeTime at={entry.at} />
    </span>
  </span>
)

/** Connectors are named by the catalog, other resources by the API. */
export const Target = ({ target: { type, id, name } }: Pick<AuditEntry, 'target'>) => {
  if (id === null) return <span className="text-faint">–</span>
  if (type === 'connector' || type === 'oauth_app') return <ConnectorNames slugs={[id]} />
  if (name !== null) return <span title={id}>{name}</span>
  return (
    <code title={id} className="font-mono text-xs">
      {id.length > 21 ? `${id.slice(0, 20)}…` : id}
    </code>
  )
}

export const OutcomeBadge = ({ outcome }: { outcome: AuditEntry['outcome'] }) =>
  outcome === 'done' ? (
    <Badge tone="good">Done</Badge>
  ) : outcome === 'denied' ? (
    <Badge tone="bad">Denied</Badge>
  ) : (
    <Badge tone="warn">Unknown</Badge>
  )
