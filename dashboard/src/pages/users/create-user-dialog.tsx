import type { RegisteredUser, RegisteredUserCreate } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'

type Props = { onClose: () => void; onCreated: (user: RegisteredUser) => void }

/** Creates a user by hand. Applications do it by API when someone signs in. */
const CreateUserDialog = ({ onClose, onCreated }: Props) => {
  const [ownId, setOwnId] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const create = useApiMutation((api, body: RegisteredUserCreate) => api.registeredUsers.upsert(body), {
    invalidates: [['users']],
    onSuccess: onCreated,
  })
  const submit = (): void =>
    create.mutate({
      origin_user_id: ownId.trim(),
      ...(name.trim() && { origin_user_name: name.trim() }),
      ...(email.trim() && { email: email.trim() }),
    })
  return (
    <FormDialog
      title="Create a user"
      description="If a user with this ID already exists, their name and email address are updated."
      action="Create user"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={ownId.trim() === ''}
      request={create}
    >
      <TextField
        label="Your ID"
        hint="The ID of this user in your application. It cannot be changed."
        required
        maxLength={255}
        value={ownId}
        onChange={setOwnId}
        autoFocus
      />
      <TextField
        label="Name (optional)"
        hint="Shown to the user when they connect an account."
        maxLength={255}
        value={name}
        onChange={setName}
      />
      <TextField label="Email (optional)" type="email" maxLength={320} value={email} onChange={setEmail} />
    </FormDialog>
  )
}

export default CreateUserDialog
