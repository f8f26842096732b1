import { cx } from '../cx.ts'

/** The outcomes of a tool call. Charts, dots and waterfalls use the same colors. */
export type Outcome = 'success' | 'needs_auth' | 'needs_approval' | 'redacted' | 'error'

export const OUTCOMES: Record<Outcome, { label: string; text: string; fill: string }> = {
  success: { label: 'Success', text: 'text-good', fill: 'bg-fill-success' },
  needs_auth: { label: 'Needs auth', text: 'text-info', fill: 'bg-fill-auth' },
  needs_approval: { label: 'Needs approval', text: 'text-info', fill: 'bg-fill-auth' },
  redacted: { label: 'Redacted', text: 'text-warn', fill: 'bg-fill-redacted' },
  error: { label: 'Error', text: 'text-bad', fill: 'bg-fill-error' },
}

/** A dot with its meaning in words; color is never the only signal. */
export const OutcomeDot = ({ outcome, detail }: { outcome: Outcome; detail?: string }) => {
  const { label, text, fill } = OUTCOMES[outcome]
  return (
    <span className={cx('inline-flex max-w-full items-center gap-1.5 text-sm font-medium', text)}>
      <i className={cx('size-1.75 shrink-0 rounded-full', fill)} aria-hidden="true" />
      <span className="min-w-0 overflow-hidden text-ellipsis wrap-anywhere">
        {detail ? `${label} · ${detail}` : label}
      </span>
    </span>
  )
}
