import type { LinkSession } from '@carabiner/sdk'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../../api/use-list.ts'
import { cx } from '../../ui/cx.ts'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { MoreRows } from '../../ui/lists/more-rows.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { describeOutcome, describeStep } from './describe-link-session.ts'

const STATUSES: Record<LinkSession['status'], { label: string; tone: Tone }> = {
  open: { label: 'Open', tone: 'info' },
  awaiting_confirmation: { label: 'Awaits confirmation', tone: 'warn' },
  completed: { label: 'Connected', tone: 'good' },
  expired: { label: 'Expired', tone: 'neutral' },
  ended: { label: 'Ended', tone: 'neutral' },
}

/** Every link of the user with what happened to it: the answer to "why did it not work for her?" */
export const UserLinkSessions = ({ userId }: { userId: string }) => {
  const list = useList(['users', 'link-sessions', userId], (api, options) =>
    api.linkSessions.list(userId, { limit: 10 }, options),
  )
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Links</h3>
      {list.error ? (
        <ErrorNote error={list.error} />
      ) : list.isPending ? (
        <SkeletonRows label="Loading links" rows={2} isInCard={false} />
      ) : list.rows.length === 0 ? (
        <p className="text-sm text-muted">No link was created for this user.</p>
      ) : (
        <div className="rounded-popup border border-line">
          <ul className="divide-y divide-line">
            {list.rows.map(session => (
              <Session key={session.id} session={session} />
            ))}
          </ul>
          <MoreRows list={list} />
        </div>
      )}
    </section>
  )
}

const Session = ({ session }: { session: LinkSession }) => {
  const [isOpen, setOpen] = useState(false)
  const { label, tone } = STATUSES[session.status]
  return (
    <li className="grid">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex items-center gap-2.5 rounded-popup px-3 py-2.5 text-start text-sm focus-visible:-outline-offset-2 max-md:min-h-11"
      >
        <ChevronRight
          className={cx('size-4 shrink-0 text-faint', isOpen && 'rotate-90')}
          aria-hidden="true"
        />
        <span className="grid min-w-0 flex-1 gap-0.5">
          <span className="font-medium">{session.connector_slug ?? 'Any connector'}</span>
          <span className="text-xs text-muted">
            {describeOutcome(session)} <RelativeTime at={session.minted_at} />
          </span>
        </span>
        <Badge tone={tone}>{label}</Badge>
      </button>
      {isOpen && (
        <ol aria-label="Timeline" className="grid gap-2 px-4 pb-3.5 ps-10">
          {session.timeline.map((step, n) => (
            <li key={n} className="grid gap-0.5 text-sm">
              <span>{describeStep(step)}</span>
              <span className="text-xs text-muted">
                <RelativeTime at={step.at} isAbsolute />
              </span>
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}
