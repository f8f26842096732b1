import { ChevronDown } from 'lucide-react'
import { cx } from '../cx.ts'
import { Menu, MenuChoice } from '../overlays/menu.tsx'

type Props<Value extends string> = {
  label: string
  value: Value
  onChange: (value: Value) => void
  /** The first option means "no filter". */
  options: readonly [{ value: Value; label: string }, ...{ value: Value; label: string }[]]
}

/** One filter as a pill: its name and its value. */
export const Filter = <Value extends string>({ label, value, onChange, options }: Props<Value>) => {
  const chosen = options.find(option => option.value === value) ?? options[0]
  const isActive = chosen !== options[0]
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className={cx(
            'inline-flex h-9 items-center gap-1.5 rounded-full border bg-paper px-3.5 text-sm max-md:h-11',
            isActive ? 'border-ink' : 'border-line hover:bg-hover',
          )}
        >
          <span className="text-muted">{label}</span>
          <span className="font-medium">{chosen.label}</span>
          <ChevronDown className="size-3.5 text-faint" aria-hidden="true" />
        </button>
      }
    >
      <MenuChoice label={label} value={chosen.value} onChange={onChange} options={options} />
    </Menu>
  )
}
