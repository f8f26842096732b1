import type { AuditEntry } from '@carabiner/sdk'
import { Button } from '../../../ui/button.tsx'
import { Copyable } from '../../../ui/data/copyable.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Drawer } from '../../../ui/overlays/drawer.tsx'
import { OutcomeBadge, Target } from './audit-columns.tsx'
import { actionLabel, actorLabel } from './audit-words.ts'

type Props = { entry: AuditEntry; onClose: () => void; onShowActor: (id: string) => void }

const EntryDrawer = ({ entry, onClose, onShowActor }: Props) => (
  <Drawer
    isOpen
    onClose={onClose}
    title={actionLabel(entry.action)}
    subtitle={`Entry ${entry.sequence}`}
    actions={
      <Button onClick={() => onShowActor(entry.actor.id)}>All changes by {actorLabel(entry.actor)}</Button>
    }
  >
    <Details
      entries={[
        ['Outcome', <OutcomeBadge key="outcome" outcome={entry.outcome} />],
        ['Time', <RelativeTime key="at" at={entry.at} isAbsolute />],
        ['By', actorLabel(entry.actor)],
        ['Actor ID', <Copyable key="actor" text={entry.actor.id} />],
        ['Action', <Copyable key="action" text={entry.action} />],
        ['Target', entry.target.id && <Target key="name" target={entry.target} />],
        ['Target ID', entry.target.id && <Copyable key="target" text={entry.target.id} />],
        ['Registered User', entry.registered_user_name],
        ['User ID', entry.registered_user_id && <Copyable key="user" text={entry.registered_user_id} />],
        ['Address', entry.from.address],
        ['Client', entry.from.user_agent],
        ['Request ID', <Copyable key="request" text={entry.request_id} />],
      ]}
    />
    <Changes changes={entry.changes} />
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Chain</h3>
      <Details
        entries={[
          ['Previous hash', <Copyable key="previous" text={entry.previous_hash} />],
          ['Hash', <Copyable key="hash" text={entry.hash} />],
        ]}
      />
    </section>
  </Drawer>
)

const Changes = ({ changes }: { changes: AuditEntry['changes'] }) => (
  <section className="grid gap-2.5">
    <h3 className="text-sm font-semibold">Changed fields</h3>
    {changes.length === 0 ? (
      <p className="text-sm text-muted">No fields were changed.</p>
    ) : (
      <ul className="divide-y divide-line rounded-popup border border-line">
        {changes.map(({ field, from, to }) => (
          <li key={field} className="grid gap-1 px-3.5 py-2.5 text-sm">
            <code className="font-mono text-xs font-medium">{field}</code>
            {from === undefined && to === undefined ? (
              <span className="text-xs text-muted">Changed. The value is not recorded.</span>
            ) : (
              <span className="flex flex-wrap items-center gap-2 text-xs">
                {from !== undefined && (
                  <span className="rounded-md bg-bad-soft px-1.5 py-0.5 text-bad">
                    <span className="sr-only">before: </span>
                    {String(from)}
                  </span>
                )}
                {to !== undefined && (
                  <span className="rounded-md bg-good-soft px-1.5 py-0.5 text-good">
                    <span className="sr-only">after: </span>
                    {String(to)}
                  </span>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
)

export default EntryDrawer
