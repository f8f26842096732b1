import type { InstallationHealth } from '@carabiner/contract'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { cx } from '../../../ui/cx.ts'

type Status = InstallationHealth['status']

const LOOKS = {
  ok: { icon: CircleCheck, className: 'bg-good-soft text-good' },
  warning: { icon: TriangleAlert, className: 'bg-warn-soft text-warn' },
  problem: { icon: CircleAlert, className: 'bg-bad-soft text-bad' },
} as const satisfies Record<Status, object>

export const STATUS_WORDS: Record<Status, string> = { ok: 'Works', warning: 'Warning', problem: 'Problem' }

const summaryOf = ({ status, checks }: InstallationHealth): string => {
  const count = checks.filter(check => check.status === status).length
  if (status === 'ok') return 'Everything works.'
  if (status === 'warning')
    return count === 1 ? 'One thing needs attention.' : `${count} things need attention.`
  return count === 1 ? 'One problem needs fixing.' : `${count} problems need fixing.`
}

/** The answer in one sentence, and below it what to do. */
export const HealthSummary = ({ health }: { health: InstallationHealth }) => {
  const { icon: Icon, className } = LOOKS[health.status]
  const open = health.checks
    .filter(({ status }) => status !== 'ok')
    .toSorted((a, b) => (a.status === b.status ? 0 : a.status === 'problem' ? -1 : 1))
  return (
    <section
      aria-label="Result"
      className="overflow-hidden rounded-card border border-line bg-paper shadow-card"
    >
      <p
        role="status"
        className={cx('flex items-center gap-3 px-4.5 py-4 text-base font-semibold md:px-5', className)}
      >
        <Icon className="size-5.5 shrink-0" aria-hidden="true" />
        {summaryOf(health)}
      </p>
      {open.length > 0 && (
        <ul className="divide-y divide-line">
          {open.map(({ name, status, found, fix }) => (
            <li key={`${name} ${found}`} className="grid gap-1 px-4.5 py-3.5 text-sm md:px-5">
              <p className="font-medium">
                <StatusDot status={status} />
                {found}
              </p>
              {fix && <p className="ps-4.5 text-muted">{fix}</p>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const DOTS: Record<Status, string> = {
  ok: 'bg-good',
  warning: 'bg-warn',
  problem: 'bg-bad',
}

export const StatusDot = ({ status }: { status: Status }) => (
  <>
    <span
      className={cx('me-2 inline-block size-2.5 rounded-full align-baseline', DOTS[status])}
      aria-hidden="true"
    />
    <span className="sr-only">{STATUS_WORDS[status]}: </span>
  </>
)
