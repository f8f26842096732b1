import type { ToolPack } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'

type Props = { onClose: () => void; onCreated: (pack: ToolPack) => void }

/** A new pack is empty: tools are added on its page, so that nothing is offered by accident. */
const CreatePackDialog = ({ onClose, onCreated }: Props) => {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const create = useApiMutation(
    (api, body: { name: string; description: string }) => api.toolPacks.create({ ...body, connectors: [] }),
    { mode: 'production', onSuccess: onCreated, invalidates: [['tool-packs']] },
  )
  return (
    <FormDialog
      title="Create a Tool Pack"
      description="It starts empty. You choose its tools next."
      action="Create and choose tools"
      onClose={onClose}
      onSubmit={() => create.mutate({ name: name.trim(), description: description.trim() })}
      isIncomplete={name.trim() === ''}
      request={create}
    >
      <TextField
        label="Name"
        hint="For you, for example “Support agent”."
        required
        maxLength={255}
        value={name}
        onChange={setName}
        autoFocus
      />
      <TextField
        label="Description (optional)"
        maxLength={2000}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  )
}

export default CreatePackDialog
