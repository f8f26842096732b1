import type { ToolPack } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

type Props = { onClose: () => void; onCreated: (pack: ToolPack) => void }

/** A new pack is empty: tools are added on its page, so that nothing is offered by accident. */
const CreatePackDialog = ({ onClose, onCreated }: Props) => {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const create = useApiMutation(
    (api, body: { name: string; description: string }) => api.toolPacks.create({ ...body, connectors: [] }),
    { mode: 'production', onSuccess: onCreated, invalidates: [['tool-packs']] },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!create.isPending) create.mutate({ name: name.trim(), description: description.trim() })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create a Tool Pack"
      description="It starts empty. You choose its tools next."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Name" hint="For you, for example “Support agent”.">
          <Input
            required
            maxLength={255}
            value={name}
            onChange={event => setName(event.target.value)}
            autoFocus
          />
        </Field>
        <Field label="Description (optional)">
          <Input
            maxLength={2000}
            value={description}
            onChange={event => setDescription(event.target.value)}
          />
        </Field>
        {create.error && <ErrorNote error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isPending} disabled={name.trim() === ''}>
            Create and choose tools
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default CreatePackDialog
