import { Switch as Base } from '@base-ui/react/switch'
import type { ReactNode } from 'react'

type Props = {
  isOn: boolean
  onChange: (isOn: boolean) => void
  isDisabled?: boolean
  label: string
  isLabelHidden?: boolean
  hint?: ReactNode
}

export const Switch = ({ isOn, onChange, isDisabled = false, label, isLabelHidden = false, hint }: Props) => (
  <label className="flex items-center justify-between gap-6 max-md:min-h-11">
    <span className="grid gap-0.5">
      <span className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>{label}</span>
      {hint && <span className="text-xs text-muted">{hint}</span>}
    </span>
    <Base.Root
      checked={isOn}
      onCheckedChange={onChange}
      disabled={isDisabled}
      className="h-6 w-10 shrink-0 rounded-full bg-line-strong p-0.5 data-checked:bg-ink data-disabled:opacity-50"
    >
      <Base.Thumb className="block size-5 rounded-full bg-paper transition-transform data-checked:translate-x-4" />
    </Base.Root>
  </label>
)
