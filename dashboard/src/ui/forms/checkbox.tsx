import { Checkbox as Base } from '@base-ui/react/checkbox'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = {
  isChecked: boolean
  onChange: (isChecked: boolean) => void
  isDisabled?: boolean
  children: ReactNode
}

export const Checkbox = ({ isChecked, onChange, isDisabled = false, children }: Props) => (
  <label className="flex min-h-6 items-start gap-2.5 text-sm max-md:min-h-11 max-md:items-center">
    <Base.Root
      checked={isChecked}
      onCheckedChange={onChange}
      disabled={isDisabled}
      className="mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-[5px] border border-line-strong bg-paper data-checked:border-ink data-checked:bg-ink"
    >
      <Base.Indicator className="text-paper">
        <Check className="size-3.5" strokeWidth={3} aria-hidden="true" />
      </Base.Indicator>
    </Base.Root>
    <span>{children}</span>
  </label>
)
