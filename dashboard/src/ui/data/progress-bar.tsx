import { cx } from '../cx.ts'

type Props = { label: string; value: number; max: number; text?: string }

/** A part of a whole, such as calls of a plan. It turns to a warning from 80 % and to an error at 100 %. */
export const ProgressBar = ({ label, value, max, text }: Props) => {
  const part = max > 0 ? Math.min(1, value / max) : 0
  return (
    <div className="grid gap-1.5">
      <div className="flex justify-between gap-4 text-sm">
        <span>{label}</span>
        <span className="text-muted">{text ?? `${value.toLocaleString()} of ${max.toLocaleString()}`}</span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(value, max)}
        className="h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          className={cx(
            'h-full rounded-full',
            part >= 1 ? 'bg-fill-error' : part >= 0.8 ? 'bg-fill-redacted' : 'bg-fill-success',
          )}
          style={{ width: `${part * 100}%` }}
        />
      </div>
    </div>
  )
}
