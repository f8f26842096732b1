import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { IconButton } from '../icon-button.tsx'
import { MEDIA, useMedia } from '../use-media.ts'
import { Drawer } from './drawer.tsx'

type Props = {
  /** Name of the panel for assistive technology. */
  label: string
  title: ReactNode
  subtitle?: ReactNode
  children: ReactNode
  actions?: ReactNode
  onClose: () => void
  /** Null at an end of the list. The keys J and K do the same. */
  onNext: (() => void) | null
  onPrevious: (() => void) | null
}

/** The details of a row: beside the list on wide screens, so that the person can step through it; elsewhere a drawer. */
export const SidePanel = ({
  label,
  title,
  subtitle,
  children,
  actions,
  onClose,
  onNext,
  onPrevious,
}: Props) => {
  const isWide = useMedia(MEDIA.wide)
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey || isBusyElsewhere(event.target, isWide)) return
    const act = { j: onNext, k: onPrevious, Escape: isWide ? onClose : null }[event.key]
    if (!act) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
  const steps = (
    <>
      <IconButton
        label="Previous (K)"
        icon={<ChevronUp className="size-4.5" />}
        disabled={!onPrevious}
        onClick={() => onPrevious?.()}
      />
      <IconButton
        label="Next (J)"
        icon={<ChevronDown className="size-4.5" />}
        disabled={!onNext}
        onClick={() => onNext?.()}
      />
    </>
  )
  if (!isWide)
    return (
      <Drawer isOpen onClose={onClose} title={title} subtitle={subtitle} actions={actions} tools={steps}>
        {children}
      </Drawer>
    )
  return (
    <aside
      aria-label={label}
      data-wide
      className="sticky top-18 flex max-h-[calc(100dvh-5.5rem)] min-w-0 flex-col rounded-card border border-line bg-paper shadow-card"
    >
      <header className="flex items-start gap-1 border-b border-line px-5 py-3.5">
        <div className="grid min-w-0 flex-1 gap-0.5 pt-1">
          <h2 className="text-base/6 font-semibold wrap-anywhere">{title}</h2>
          {subtitle && <div className="text-sm text-muted">{subtitle}</div>}
        </div>
        {steps}
        <IconButton label="Close" icon={<X className="size-4.5" />} onClick={onClose} className="-me-2" />
      </header>
      {/* A region that scrolls must be reachable with the keyboard. */}
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="grid flex-1 content-start gap-6 overflow-y-auto px-5 py-4.5"
      >
        {children}
      </div>
      {actions && <footer className="flex flex-wrap gap-2 border-t border-line px-5 py-3">{actions}</footer>}
    </aside>
  )
}

/** The person types, or another dialog or menu is open. */
const isBusyElsewhere = (target: EventTarget | null, isWide: boolean): boolean =>
  target instanceof HTMLElement &&
  target.closest(
    `input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]${isWide ? ', [role="dialog"]' : ''}`,
  ) !== null
