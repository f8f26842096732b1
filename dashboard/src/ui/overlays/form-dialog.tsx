import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../button.tsx'
import { ErrorNote } from '../states/error-note.tsx'
import { Dialog } from './dialog.tsx'
import { DialogActions } from './dialog-actions.tsx'

export type DialogRequest = { isPending: boolean; error: unknown }

type FormProps = {
  onClose: () => void
  onSubmit: () => void
  /** Label of the button: the verb, as in "Create key". */
  action: string
  isDanger?: boolean
  /** Whether something is missing. The form cannot be sent before. */
  isIncomplete?: boolean
  /** The mutation that the form sends. */
  request?: DialogRequest
  children?: ReactNode
}

/** The fields of a dialog, the error of its request, and its buttons. */
export const DialogForm = ({
  onClose,
  onSubmit,
  action,
  isDanger = false,
  isIncomplete = false,
  request: { isPending: isBusy, error } = { isPending: false, error: null },
  children,
}: FormProps) => (
  <form
    className="grid gap-5"
    onSubmit={event => {
      event.preventDefault()
      // A dialog may be rendered inside of the form of a page.
      event.stopPropagation()
      if (!isIncomplete && !isBusy) onSubmit()
    }}
  >
    {children}
    {Boolean(error) && <ErrorNote error={error} />}
    <DialogActions>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isBusy={isBusy} disabled={isIncomplete}>
        {action}
      </Button>
    </DialogActions>
  </form>
)

type Props = FormProps & Pick<ComponentProps<typeof Dialog>, 'title' | 'description' | 'width'>

/** A dialog that creates or changes something. */
export const FormDialog = ({ title, description, width, ...form }: Props) => (
  <Dialog isOpen onClose={form.onClose} title={title} description={description} width={width}>
    <DialogForm {...form} />
  </Dialog>
)
