import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { cx } from '../cx.ts'
import { IconButton } from '../icon-button.tsx'
import { DialogActions } from './dialog-actions.tsx'
import { AboveOverlay } from './overlay-stack.tsx'
import { useOpener } from './use-opener.ts'

type Props = {
  isOpen: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children?: ReactNode
  /** Buttons. The last one is the primary action. */
  actions?: ReactNode
  /** A dialog that must be answered cannot be closed with Escape or a click beside it. */
  mustAnswer?: boolean
  width?: 'sm' | 'md' | 'lg'
  initialFocus?: RefObject<HTMLElement | null>
}

const WIDTHS = { sm: 'md:max-w-md', md: 'md:max-w-lg', lg: 'md:max-w-3xl' }

/** A modal dialog; on phones, a sheet at the bottom of the screen. */
export const Dialog = ({
  isOpen,
  onClose,
  title,
  description,
  children,
  actions,
  mustAnswer = false,
  width = 'sm',
  initialFocus,
}: Props) => {
  const opener = useOpener(isOpen)
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={mustAnswer}
      onOpenChange={(open, details) => {
        if (open) return
        if (mustAnswer && details.reason === 'escape-key') details.cancel()
        else onClose()
      }}
    >
      <Base.Portal>
        {/* Also over a drawer. */}
        <Base.Backdrop forceRender className="fade fixed inset-0 z-40 bg-scrim" />
        <Base.Viewport className="fixed inset-0 z-40 grid items-end overflow-y-auto md:place-items-center md:p-6">
          <Base.Popup
            {...(initialFocus && { initialFocus })}
            finalFocus={opener}
            className={cx(
              'pop grid w-full gap-5 bg-raised p-5 shadow-popup outline-none max-md:rounded-t-[20px] md:rounded-[18px] md:p-6',
              'pb-[max(1.25rem,env(safe-area-inset-bottom))]',
              WIDTHS[width],
            )}
          >
            <header className="flex items-start gap-3">
              <div className="grid flex-1 gap-1.5">
                <Base.Title className="text-lg/6 font-semibold">{title}</Base.Title>
                {description && (
                  <Base.Description render={<div />} className="text-sm text-muted">
                    {description}
                  </Base.Description>
                )}
              </div>
              {!mustAnswer && (
                <IconButton
                  label="Close"
                  icon={<X className="size-4.5" />}
                  onClick={onClose}
                  className="-me-2 -mt-1.5"
                />
              )}
            </header>
            {children}
            {actions && <DialogActions>{actions}</DialogActions>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
      {isOpen && <AboveOverlay mustAnswer={mustAnswer} onClose={onClose} />}
    </Base.Root>
  )
}
