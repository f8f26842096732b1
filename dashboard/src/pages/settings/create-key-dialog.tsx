import type { NewApiKey } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { useApiKeyChange } from './use-api-keys.ts'

type Props = { onClose: () => void; onCreated: (key: NewApiKey) => void }

export const CreateKeyDialog = ({ onClose, onCreated }: Props) => {
  const [name, setName] = useState('')
  const create = useApiKeyChange((api, chosen: string) => api.apiKeys.create({ name: chosen }), onCreated)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!create.isPending) create.mutate(name.trim())
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create a test key"
      description="Test keys use test data only. Create one for each developer or environment."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Name" hint="Who or what uses it, for example “Staging”.">
          <Input
            required
            maxLength={255}
            value={name}
            onChange={event => setName(event.target.value)}
            autoFocus
          />
        </Field>
        {create.error && <ErrorNote error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isPending} disabled={name.trim() === ''}>
            Create key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
