import type { RegisteredUser, RegisteredUserCreate } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

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
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (create.isPending) return
    create.mutate({
      origin_user_id: ownId.trim(),
      ...(name.trim() && { origin_user_name: name.trim() }),
      ...(email.trim() && { email: email.trim() }),
    })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create a user"
      description="If a user with this ID exists, the name and the e-mail address are updated."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Your ID" hint="The ID of this user in your application. It cannot be changed.">
          <Input
            required
            maxLength={255}
            value={ownId}
            onChange={event => setOwnId(event.target.value)}
            autoFocus
          />
        </Field>
        <Field label="Name (optional)" hint="Shown to the user when connecting an account.">
          <Input maxLength={255} value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="E-mail (optional)">
          <Input
            type="email"
            maxLength={320}
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        </Field>
        {create.error && <ErrorNote error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isPending} disabled={ownId.trim() === ''}>
            Create user
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default CreateUserDialog
