import { type FormEvent, useState } from 'react'
import { fieldError } from '../api/field-error.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/forms/field.tsx'
import { Input } from '../ui/forms/input.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { DialogActions } from '../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** Limit of the API. */
const MAX_LABEL = 100

const RenameDialog = ({ account, owner, name, onClose }: AccountDialogProps) => {
  const [label, setLabel] = useState(account.label)
  const rename = useApiMutation(
    (api, chosen: string) =>
      api.registeredUsers.credentials.update(owner.id, account.credential_id, { label: chosen }),
    { invalidates: [owner.queryKey], onSuccess: onClose },
  )
  const problem = fieldError(rename.error, 'label')
  const wanted = label.trim()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!rename.isPending) rename.mutate(wanted)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Rename ${name}`}
      description="A tool call names the account by its label. Models see it, and Tool Packs may be fixed to it."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Label" error={problem}>
          <Input
            required
            maxLength={MAX_LABEL}
            value={label}
            autoComplete="off"
            onChange={event => setLabel(event.target.value)}
            autoFocus
          />
        </Field>
        {rename.error && problem === undefined && <ErrorNote error={rename.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={rename.isPending}
            disabled={wanted === '' || wanted === account.label}
          >
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default RenameDialog
