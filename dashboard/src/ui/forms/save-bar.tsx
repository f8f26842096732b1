import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { ErrorNote } from '../states/error-note.tsx'

type Props = {
  /** How many fields or rules have changed. The bar appears with the first. */
  changes: number
  onDiscard: () => void
  /** Label of the button that saves. */
  action?: string
  /** Default: the button submits the form that the bar is in. */
  onSave?: () => void
  isBusy?: boolean
  isDisabled?: boolean
  error?: unknown
  children?: ReactNode
}

/** Unsaved changes of an editor, with the buttons to save and discard them. */
export const SaveBar = ({
  changes,
  onDiscard,
  action = 'Save',
  onSave,
  isBusy = false,
  isDisabled = false,
  error,
  children,
}: Props) =>
  changes === 0 ? null : (
    <div className="sticky bottom-3 z-10 flex flex-wrap items-center justify-end gap-2 rounded-card bg-raised px-4.5 py-3 shadow-popup">
      <p role="status" className="me-auto text-sm font-medium">
        {changes === 1 ? '1 unsaved change' : `${changes} unsaved changes`}
      </p>
      {Boolean(error) && <ErrorNote error={error} />}
      {children}
      <Button onClick={onDiscard}>Discard</Button>
      <Button
        type={onSave ? 'button' : 'submit'}
        kind="primary"
        isBusy={isBusy}
        disabled={isDisabled}
        onClick={onSave}
      >
        {action}
      </Button>
    </div>
  )
