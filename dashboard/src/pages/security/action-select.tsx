import { cx } from '../../ui/cx.ts'
import { ACTION_OPTIONS, type Action } from './rule-words.ts'

const TONES: Record<Action, string> = {
  none: 'text-muted',
  log: 'text-info bg-info-soft',
  redact: 'text-warn bg-warn-soft',
  block: 'text-bad bg-bad-soft',
}

type Props = {
  label: string
  value: Action
  onChange: (action: Action) => void
  isDisabled: boolean
  isChanged?: boolean
}

/** A native control, because a matrix has many of them. */
export const ActionSelect = ({ label, value, onChange, isDisabled, isChanged = false }: Props) => (
  <select
    aria-label={label}
    value={value}
    disabled={isDisabled}
    onChange={event => onChange(event.target.value as Action)}
    className={cx(
      'h-8 w-24 rounded-control border px-2 text-sm font-medium max-md:h-11',
      isChanged ? 'border-ink' : 'border-line',
      TONES[value],
    )}
  >
    {ACTION_OPTIONS.map(option => (
      <option key={option.value} value={option.value} className="bg-paper text-ink">
        {option.label}
      </option>
    ))}
  </select>
)
