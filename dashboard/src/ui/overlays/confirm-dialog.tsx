import { type ReactNode, useState } from 'react'
import { TextField } from '../forms/text-field.tsx'
import { Dialog } from './dialog.tsx'
import { DialogForm, type DialogRequest } from './form-dialog.tsx'

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
  /** Options of the change. */
  fields?: ReactNode
  width?: 'sm' | 'md'
  request?: DialogRequest
}

/** Asks before a change that breaks or deletes something. */
export const ConfirmDialog = ({ isOpen, title, children, width, ...form }: Props) => (
  <Dialog isOpen={isOpen} onClose={form.onClose} title={title} description={children} width={width}>
    <ConfirmForm {...form} />
  </Dialog>
)

type FormProps = Omit<Props, 'isOpen' | 'title' | 'children' | 'width'>

const ConfirmForm = ({ onConfirm, typedName, fields, ...form }: FormProps) => {
  const [typed, setTyped] = useState('')
  const isConfirmed = typedName === undefined || typed.trim() === typedName.trim()
  return (
    <DialogForm {...form} isDanger isIncomplete={!isConfirmed} onSubmit={onConfirm}>
      {fields}
      {typedName !== undefined && (
        <TextField
          label={`Type “${typedName}” to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </DialogForm>
  )
}
