import { Check, X } from 'lucide-react'
import { cx } from '../cx.ts'

const SHAPE = 'z-[1] grid size-5.5 shrink-0 place-items-center rounded-full'

/** The sign of a step: passed, failed, or open. */
export const StepMark = ({ status }: { status: 'passed' | 'failed' | 'not_reached' | 'not_checked' }) => {
  if (status === 'passed')
    return (
      <span className={cx(SHAPE, 'bg-good text-paper')}>
        <Check className="size-3.5" strokeWidth={3} aria-hidden="true" />
      </span>
    )
  if (status === 'failed')
    return (
      <span className={cx(SHAPE, 'bg-bad text-paper')}>
        <X className="size-3.5" strokeWidth={3} aria-hidden="true" />
      </span>
    )
  return <span className={cx(SHAPE, 'border border-dashed border-line-strong bg-paper')} />
}
