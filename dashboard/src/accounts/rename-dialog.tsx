import { useState } from 'react'
import { fieldError } from '../api/field-error.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { TextField } from '../ui/forms/text-field.tsx'
import { FormDialog } from '../ui/overlays/form-dialog.tsx'
import type { AccountDialogProps } from './account-owner.ts'

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
  return (
    <FormDialog
      title={`Rename ${name}`}
      description="Tool calls choose the account by its label. Models see the label, and Tool Packs can be fixed to it."
      action="Rename"
      onClose={onClose}
      onSubmit={() => rename.mutate(wanted)}
      isIncomplete={wanted === '' || wanted === account.label}
      request={{ ...rename, error: problem === undefined && rename.error }}
    >
      <TextField
        label="Label"
        error={problem}
        required
        maxLength={MAX_LABEL}
        value={label}
        autoComplete="off"
        onChange={setLabel}
        autoFocus
      />
    </FormDialog>
  )
}

export default RenameDialog
