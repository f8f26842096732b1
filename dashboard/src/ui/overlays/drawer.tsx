import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../cx.ts'
import { IconButton } from '../icon-button.tsx'
import { AboveOverlay } from './overlay-stack.tsx'

type Props = {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  subtitle?: ReactNode
  children: ReactNode
  actions?: ReactNode
  /** Buttons beside the one that closes it. */
  tools?: ReactNode
  side?: 'start' | 'end'
}

/** Details beside the list they come from; on phones, the whole screen. */
export const Drawer = ({
  isOpen,
  onClose,
  title,
  subtitle,
  children,
  actions,
  tools,
  side = 'end',
}: Props) => (
  <Base.Root open={isOpen} onOpenChange={open => !open && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="fade fixed inset-0 z-40 bg-scrim" />
      <Base.Popup
        className={cx(
          'fixed inset-y-0 z-40 flex w-full flex-col bg-raised shadow-popup outline-none',
          side === 'end' ? 'slide-end end-0 md:max-w-xl' : 'slide-start start-0 max-w-72',
        )}
      >
        <header className="flex items-start gap-3 border-b border-line px-5 py-4 md:px-6">
          <div className="grid min-w-0 flex-1 gap-0.5">
            <Base.Title className="text-lg/6 font-semibold">{title}</Base.Title>
            {subtitle && <div className="text-sm text-muted">{subtitle}</div>}
          </div>
          {tools}
          <IconButton label="Close" icon={<X className="size-4.5" />} onClick={onClose} className="-me-2" />
        </header>
        <div className="grid flex-1 content-start gap-6 overflow-y-auto px-5 py-5 md:px-6">{children}</div>
        {actions && (
          <footer className="flex flex-wrap gap-2 border-t border-line px-5 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-6">
            {actions}
          </footer>
        )}
      </Base.Popup>
    </Base.Portal>
    {isOpen && <AboveOverlay />}
  </Base.Root>
)
