import { cx } from '../cx.ts'

/** The four outcomes of a tool call. Charts, dots and waterfalls use the same colors. */
export type Outcome = 'success' | 'needs_auth' | 'redacted' | 'error'

export const OUTCOMES: Record<Outcome, { label: string; text: string; fill: string; color: string }> = {
  success: { label: 'Success', text: 'text-good', fill: 'bg-fill-success', color: 'var(--fill-success)' },
  needs_auth: { label: 'Needs auth', text: 'text-info', fill: 'bg-fill-auth', color: 'var(--fill-auth)' },
  redacted: { label: 'Redacted', text: 'text-warn', fill: 'bg-fill-redacted', color: 'var(--fill-redacted)' },
  error: { label: 'Error', text: 'text-bad', fill: 'bg-fill-error', color: 'var(--fill-error)' },
}

/** A dot with its meaning in words; color is never the only signal. */
export const OutcomeDot = ({ outcome, detail }: { outcome: Outcome; detail?: string }) => {
  const { label, text, fill } = OUTCOMES[outcome]
  return (
    <span className={cx('inline-flex items-center gap-1.5 text-sm font-medium', text)}>
      <i className={cx('size-1.75 shrink-0 rounded-full', fill)} aria-hidden="true" />
      {detail ? `${label} · ${detail}` : label}
    </span>
  )
}
