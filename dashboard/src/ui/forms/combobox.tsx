import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { cx } from '../cx.ts'
import { popupClass, popupItemClass } from '../overlays/popup-class.ts'
import { useFieldControl } from './field.tsx'
import { controlClass } from './input.tsx'

export type ComboboxOption = { id: string; label: ReactNode; detail?: string | undefined; kind?: string }

type Props = {
  text: string
  /** What the list offers for the text. */
  options: readonly ComboboxOption[]
  /** Instead of options: that it is searching, or that nothing was found. */
  status: string | null
  isBusy: boolean
  /** Name of the list. */
  listLabel: string
  onType: (text: string) => void
  onChoose: (id: string) => void
  /** Enter without a highlighted option. */
  onEnter: (text: string) => void
  onBlur?: (text: string) => void
  onOpenChange?: (isOpen: boolean) => void
  /** Needed outside of a Field. */
  label?: string
  placeholder?: string
  icon?: ReactNode
  /** The key `/` focuses it. */
  isSearch?: boolean
}

/**
 * A text field with suggestions, as in the ARIA authoring practices: the focus stays in the input. The primitives of Base UI hide the rest
 * of the page from screen readers while the list is open, although its fields can be focused.
 */
export const Combobox = ({ text, status, isBusy, listLabel, onType, onChoose, ...rest }: Props) => {
  const { onEnter, onBlur, onOpenChange, label, placeholder, icon, isSearch = false } = rest
  const listId = useId()
  const [isOpen, setOpen] = useState(false)
  const [activeId, setActiveId] = useState<string | null>(null)
  const { held: options, hold } = useHeldWhilePressed(rest.options)
  const active = options.findIndex(({ id }) => id === activeId)
  const show = (next: boolean): void => {
    setOpen(next)
    onOpenChange?.(next)
  }
  const open = (): void => {
    show(true)
    setActiveId(null)
  }
  const choose = (id: string): void => {
    show(false)
    onChoose(id)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!isOpen) open()
      // The input itself is between the last and the first option.
      else
        setActiveId(
          options[((active + 1 + step + options.length + 1) % (options.length + 1)) - 1]?.id ?? null,
        )
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const option = isOpen ? options[active] : undefined
      if (option) return choose(option.id)
      show(false)
      onEnter(event.currentTarget.value)
    } else if (event.key === 'Escape' && isOpen) {
      // Close the list without closing the dialog.
      event.stopPropagation()
      show(false)
    }
  }
  const leave = (event: FocusEvent<HTMLInputElement>): void => {
    show(false)
    onBlur?.(event.target.value)
  }
  const optionId = (position: number): string => `${listId}-${position}`
  return (
    <div {...(isSearch && { role: 'search' })} className="relative">
      {icon}
      <input
        {...useFieldControl()}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && options[active] ? optionId(active) : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        {...(isSearch && { 'data-search': true })}
        value={text}
        onChange={event => {
          open()
          onType(event.target.value)
        }}
        onClick={open}
        onKeyDown={onKeyDown}
        onBlur={leave}
        className={cx(controlClass, 'h-9 max-md:h-11', icon !== undefined && 'ps-9')}
      />
      <div
        hidden={!isOpen || (options.length === 0 && status === null)}
        onPointerDown={event => {
          // The input keeps the focus.
          event.preventDefault()
          hold()
        }}
        className={cx(popupClass, 'absolute inset-x-0 top-full z-30 mt-1 max-h-96 min-w-64 overflow-y-auto')}
      >
        <p role="status" className="text-sm text-muted not-empty:px-2.5 not-empty:py-2">
          {isOpen && status}
        </p>
        <ul id={listId} role="listbox" aria-label={listLabel} aria-busy={isBusy}>
          {options.map(({ id, label: name, detail, kind }, position) => (
            <li
              key={id}
              id={optionId(position)}
              ref={position === active ? showRow : null}
              role="option"
              aria-selected={position === active}
              data-highlighted={position === active || undefined}
              onPointerMove={() => setActiveId(id)}
              onClick={() => choose(id)}
              className={popupItemClass}
            >
              <span className="grid min-w-0 flex-1">
                <span className="truncate">{name}</span>
                {detail && <span className="truncate text-xs text-muted">{detail}</span>}
              </span>
              {kind && <span className="text-xs whitespace-nowrap text-muted">{kind}</span>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

const showRow = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'nearest' })

/** A list that does not change between the press and the release of a pointer, because the click would be lost or choose another row. */
const useHeldWhilePressed = <T,>(current: T): { held: T; hold: () => void } => {
  const [pressed, setPressed] = useState<{ value: T } | null>(null)
  const hold = (): void => {
    setPressed({ value: current })
    const stop = new AbortController()
    // The click follows the release, in the same task.
    const release = (): void => {
      stop.abort()
      setTimeout(() => setPressed(null))
    }
    for (const name of ['pointerup', 'pointercancel'])
      document.addEventListener(name, release, { signal: stop.signal })
  }
  return { held: pressed ? pressed.value : current, hold }
}
