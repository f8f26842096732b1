import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { cx } from '../cx.ts'
import { popupClass, popupItemClass } from '../overlays/popup-class.ts'
import { useFieldControl } from './field.tsx'
import { controlClass } from './input.tsx'

export type Option<Value extends string> = { value: Value; label: string; hint?: string }

type Props<Value extends string> = {
  value: Value
  onChange: (value: Value) => void
  options: readonly Option<Value>[]
  /** Needed outside of a Field. */
  label?: string
  isDisabled?: boolean
}

export const Select = <Value extends string>({
  value,
  onChange,
  options,
  label,
  isDisabled,
}: Props<Value>) => (
  <Base.Root
    items={[...options]}
    value={value}
    disabled={isDisabled ?? false}
    onValueChange={next => next !== null && onChange(next)}
  >
    <Base.Trigger
      {...useFieldControl()}
      aria-label={label}
      className={cx(controlClass, 'flex h-9 items-center justify-between gap-2 text-start max-md:h-11')}
    >
      <Base.Value className="truncate" />
      <ChevronsUpDown className="size-4 shrink-0 text-faint" aria-hidden="true" />
    </Base.Trigger>
    <Base.Portal>
      {/* Fixed, because the page does not scroll while the list is open: a scroll by a program must not move the options. */}
      <Base.Positioner positionMethod="fixed" sideOffset={4} alignItemWithTrigger={false} className="z-50">
        <Base.Popup className={cx(popupClass, 'max-h-80 min-w-(--anchor-width) overflow-y-auto')}>
          {options.map(option => (
            <Base.Item key={option.value} value={option.value} className={popupItemClass}>
              <span className="grid flex-1">
                <Base.ItemText>{option.label}</Base.ItemText>
                {option.hint && <span className="text-xs text-muted">{option.hint}</span>}
              </span>
              <Base.ItemIndicator>
                <Check className="size-4" aria-hidden="true" />
              </Base.ItemIndicator>
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
