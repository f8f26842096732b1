import type { LinkSession } from '@carabiner/sdk'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useConnectorName } from '../../api/use-connectors.ts'
import { type List, useList } from '../../api/use-list.ts'
import { cx } from '../../ui/cx.ts'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { ConnectorNames } from '../../ui/data/connector-names.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { MoreRows } from '../../ui/lists/more-rows.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { describeOutcome, describeStep, isOpened } from './describe-link-session.ts'

type Status = { label: string; tone: Tone }

const STATUSES: Record<LinkSession['status'], Status> = {
  open: { label: 'Started', tone: 'info' },
  awaiting_confirmation: { label: 'Awaits confirmation', tone: 'warn' },
  completed: { label: 'Connected', tone: 'good' },
  expired: { label: 'Expired', tone: 'neutral' },
  ended: { label: 'Ended', tone: 'neutral' },
}

const statusOf = (session: LinkSession): Status =>
  session.status === 'open' && !isOpened(session)
    ? { label: 'Not opened', tone: 'info' }
    : STATUSES[session.status]

const isWaiting = ({ status }: LinkSession): boolean =>
  status === 'open' || status === 'awaiting_confirmation'

/** Every link of the user with what happened to it: the answer to "why did it not work for her?" */
export const UserLinkSessions = ({ userId }: { userId: string }) => {
  const list = useList(['users', 'link-sessions', userId], (api, options) =>
    api.linkSessions.list(userId, { limit: 10 }, options),
  )
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Links</h3>
      {list.error ? (
        <ErrorNote error={list.error} />
      ) : list.isPending ? (
        <SkeletonRows label="Loading links" rows={2} isInCard={false} />
      ) : list.rows.length === 0 ? (
        <p className="text-sm text-muted">No links created for this user yet.</p>
      ) : (
        <div className="rounded-popup border border-line">
          <Disclosure isOpen={isOpen} onToggle={() => setOpen(!isOpen)} contentId={listId}>
            <span className="font-medium">{countOf(list)}</span>
          </Disclosure>
          {isOpen && (
            <div id={listId} className="border-t border-line">
              <ul className="divide-y divide-line">
                {list.rows.map(session => (
                  <Session key={session.id} session={session} />
                ))}
              </ul>
              <MoreRows list={list} />
            </div>
          )}
        </div>
      )}
    </section>
  )
}

/** "5 links, 4 waiting". With further pages, the numbers are lower bounds. */
const countOf = ({ rows, hasMore }: List<LinkSession>): string => {
  const more = hasMore ? '+' : ''
  const waiting = rows.filter(isWaiting).length
  return [
    `${rows.length}${more} ${rows.length === 1 && !hasMore ? 'link' : 'links'}`,
    ...(waiting > 0 ? [`${waiting}${more} waiting`] : []),
  ].join(', ')
}

type DisclosureProps = { isOpen: boolean; onToggle: () => void; contentId: string; children: ReactNode }

const Disclosure = ({ isOpen, onToggle, contentId, children }: DisclosureProps) => (
  <button
    type="button"
    aria-expanded={isOpen}
    aria-controls={isOpen ? contentId : undefined}
    onClick={onToggle}
    className="flex w-full items-center gap-2.5 rounded-popup px-3 py-2.5 text-start text-sm focus-visible:-outline-offset-2 max-md:min-h-11"
  >
    <ChevronRight className={cx('size-4 shrink-0 text-faint', isOpen && 'rotate-90')} aria-hidden="true" />
    {children}
  </button>
)

const Session = ({ session }: { session: LinkSession }) => {
  const [isOpen, setOpen] = useState(false)
  const nameOf = useConnectorName()
  const { connector_slug: slug } = session
  const { label, tone } = statusOf(session)
  const timelineId = useId()
  return (
    <li className="grid">
      <Disclosure isOpen={isOpen} onToggle={() => setOpen(!isOpen)} contentId={timelineId}>
        <span className="grid min-w-0 flex-1 gap-0.5">
          <span className="font-medium">
            {slug === null ? 'Any connector' : <ConnectorNames slugs={[slug]} />}
          </span>
          <span className="text-xs text-muted">
            {describeOutcome(session, nameOf)} <RelativeTime at={session.minted_at} />
          </span>
        </span>
        <Badge tone={tone}>{label}</Badge>
      </Disclosure>
      {isOpen && (
        <ol id={timelineId} aria-label="Timeline" className="grid gap-2 px-4 pb-3.5 ps-10">
          {session.timeline.map((step, n) => (
            <li key={n} className="grid gap-0.5 text-sm">
              <span>{describeStep(step, nameOf)}</span>
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
