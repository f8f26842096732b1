import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '../cx.ts'
import { popupClass, popupItemClass } from './popup-class.ts'

type MenuProps = {
  trigger: ReactElement
  children: ReactNode
  align?: 'start' | 'end'
  className?: string
  isOpenAtFirst?: boolean
}

export const Menu = ({ trigger, children, align = 'end', className, isOpenAtFirst = false }: MenuProps) => (
  <Base.Root defaultOpen={isOpenAtFirst}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner positionMethod="fixed" align={align} sideOffset={6} className="z-50">
        <Base.Popup className={cx(popupClass, 'max-h-[70dvh] min-w-48 overflow-y-auto', className)}>
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

type ItemProps = {
  onSelect: () => void
  icon?: ReactNode
  isDanger?: boolean
  isDisabled?: boolean
  children: ReactNode
}

export const MenuItem = ({ onSelect, icon, isDanger = false, isDisabled = false, children }: ItemProps) => (
  <Base.Item onClick={onSelect} disabled={isDisabled} className={cx(popupItemClass, isDanger && 'text-bad')}>
    {icon}
    {children}
  </Base.Item>
)

export const MenuSeparator = () => <Base.Separator className="mx-1 my-1 h-px bg-line" />

type ChoiceProps<Value extends string> = {
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string; icon?: ReactNode }[]
}

/** One of several values, within a menu. */
export const MenuChoice = <Value extends string>({ label, value, onChange, options }: ChoiceProps<Value>) => (
  <Base.Group>
    <Base.GroupLabel className="px-2.5 pt-1.5 pb-1 text-xs text-muted">{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={(next: Value) => onChange(next)}>
      {options.map(option => (
        <Base.RadioItem key={option.value} value={option.value} closeOnClick className={popupItemClass}>
          {option.icon}
          <span className="flex-1">{option.label}</span>
          <Base.RadioItemIndicator>
            <Check className="size-4" aria-hidden="true" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
)
