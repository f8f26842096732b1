import type { AuditEntry } from '@carabiner/sdk'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { actionLabel, actorLabel } from './audit-words.ts'

/** Of the lists in Settings and in Logs. */
export const sequenceOf = ({ sequence }: AuditEntry): string => String(sequence)

export const AUDIT_COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'action',
    header: 'Change',
    cell: ({ action, outcome }) => (
      <span className="flex flex-wrap items-center gap-2">
        {actionLabel(action)} {outcome !== 'done' && <OutcomeBadge outcome={outcome} />}
      </span>
    ),
  },
  { id: 'actor', header: 'By', cell: ({ actor }) => actorLabel(actor) },
  {
    id: 'target',
    header: 'Target',
    isWide: true,
    cell: ({ target }) =>
      target.id === null ? (
        <span className="text-faint">–</span>
      ) : (
        <code className="font-mono text-xs">
          {target.id.length > 21 ? `${target.id.slice(0, 20)}…` : target.id}
        </code>
      ),
  },
  { id: 'at', header: 'Time', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
]

export const OutcomeBadge = ({ outcome }: { outcome: AuditEntry['outcome'] }) =>
  outcome === 'done' ? (
    <Badge tone="good">Done</Badge>
  ) : outcome === 'denied' ? (
    <Badge tone="bad">Denied</Badge>
  ) : (
    <Badge tone="warn">Unknown</Badge>
  )
