import type { AuditEntry } from '@carabiner/sdk'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Drawer } from '../../../ui/overlays/drawer.tsx'
import { OutcomeBadge } from './audit-columns.tsx'
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
        ['Action', <Code key="action" text={entry.action} />],
        ['Target', entry.target.id && <Code key="target" text={entry.target.id} />],
        ['Registered User', entry.registered_user_id && <Code key="user" text={entry.registered_user_id} />],
        ['Address', entry.from.address],
        ['Client', entry.from.user_agent],
        ['Request ID', <Code key="request" text={entry.request_id} />],
      ]}
    />
    <Changes changes={entry.changes} />
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Chain</h3>
      <Details
        entries={[
          ['Previous hash', <Code key="previous" text={entry.previous_hash} />],
          ['Hash', <Code key="hash" text={entry.hash} />],
        ]}
      />
    </section>
  </Drawer>
)

const Code = ({ text }: { text: string }) => (
  <span className="-my-1.5 flex items-center gap-1">
    <code className="min-w-0 font-mono text-xs">{text}</code>
    <CopyButton text={text} />
  </span>
)

const Changes = ({ changes }: { changes: AuditEntry['changes'] }) => (
  <section className="grid gap-2.5">
    <h3 className="text-sm font-semibold">Changed fields</h3>
    {changes.length === 0 ? (
      <p className="text-sm text-muted">This change has no fields.</p>
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
