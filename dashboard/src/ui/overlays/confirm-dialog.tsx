import { type ReactNode, useId, useState } from 'react'
import { Button } from '../button.tsx'
import { Field } from '../forms/field.tsx'
import { Input } from '../forms/input.tsx'
import { ErrorNote } from '../states/error-note.tsx'
import { Dialog } from './dialog.tsx'
import { DialogActions } from './dialog-actions.tsx'

type Props = {
  isOpen: boolean
  onClose: () => void
  onConfirm: () => void
  title: string
  /** What happens, and what breaks. */
  children: ReactNode
  /** Label of the button: the verb, as in "Delete user". */
  action: string
  /** The person types this text first. Use it for changes that cannot be undone. */
  typedName?: string
  isBusy?: boolean
  error?: unknown
}

/** Asks before a change that breaks or deletes something. */
export const ConfirmDialog = ({ isOpen, onClose, ...rest }: Props) => (
  <Dialog isOpen={isOpen} onClose={onClose} title={rest.title} description={rest.children}>
    <ConfirmForm onClose={onClose} {...rest} />
  </Dialog>
)

const ConfirmForm = ({ onClose, onConfirm, action, typedName, isBusy, error }: Omit<Props, 'isOpen'>) => {
  const formId = useId()
  const [typed, setTyped] = useState('')
  const isConfirmed = typedName === undefined || typed.trim() === typedName
  return (
    <form
      id={formId}
      className="grid gap-5"
      onSubmit={event => {
        event.preventDefault()
        if (isConfirmed && !isBusy) onConfirm()
      }}
    >
      {typedName !== undefined && (
        <Field label={`Type “${typedName}” to confirm`}>
          <Input
            value={typed}
            onChange={event => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      )}
      {error !== undefined && error !== null && <ErrorNote error={error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="danger" isBusy={isBusy ?? false} disabled={!isConfirmed}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
