import type { ManagedOrganization } from '@carabiner/contract'
import type { CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { deleteOrganization } from '../api/installation.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/forms/checkbox.tsx'
import { Field } from '../ui/forms/field.tsx'
import { Input } from '../ui/forms/input.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { DialogActions } from '../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'

type Props = {
  organization: { id: string; name: string }
  onClose: () => void
  onDeleted: () => void
}

/** For operators, and for administrators of the organization. */
export const DeleteOrganizationDialog = ({ organization: { id, name }, onClose, onDeleted }: Props) => {
  const [typed, setTyped] = useState('')
  const [revoke, setRevoke] = useState(true)
  const remove = useMutation<ManagedOrganization, CarabinerError>({
    mutationFn: () => deleteOrganization(id, { name, revoke }),
    onSuccess: onDeleted,
  })
  const isConfirmed = typed.trim() === name.trim()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isConfirmed && !remove.isPending) remove.mutate()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      description={
        <ul className="grid list-disc gap-1.5 ps-5">
          <li>Its API keys, MCP endpoints and links stop working at once.</li>
          <li>Its users, connections, records, settings and its audit trail are deleted.</li>
          <li>This cannot be undone. Export it first if you may need it.</li>
        </ul>
      }
      width="md"
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Checkbox isChecked={revoke} onChange={setRevoke}>
          First revoke its users’ tokens at their providers (takes up to a day)
        </Checkbox>
        <Field label={`Type “${name}” to confirm`}>
          <Input
            value={typed}
            onChange={event => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        {remove.error && <ErrorNote error={remove.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" isBusy={remove.isPending} disabled={!isConfirmed}>
            Delete the organization
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
