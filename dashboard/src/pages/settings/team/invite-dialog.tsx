import type { InvitedMember, MemberInvite } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import type { Role } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { ROLE_OPTIONS } from './roles.ts'
import { useMemberChange } from './use-members.ts'

type Props = { onClose: () => void; onInvited: (invited: InvitedMember) => void }

export const InviteDialog = ({ onClose, onInvited }: Props) => {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const invite = useMemberChange((api, body: MemberInvite) => api.members.invite(body), onInvited)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    invite.mutate({ email: email.trim(), role, ...(name.trim() !== '' && { name: name.trim() }) })
  }
  return (
    <Dialog isOpen onClose={onClose} title="Invite a member" width="md">
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="E-mail">
          <Input
            type="email"
            required
            maxLength={254}
            value={email}
            onChange={event => setEmail(event.target.value)}
            autoComplete="off"
            autoFocus
          />
        </Field>
        <Field label="Name" hint="Optional. The person can change it.">
          <Input
            maxLength={120}
            value={name}
            onChange={event => setName(event.target.value)}
            autoComplete="off"
          />
        </Field>
        <Field label="Role">
          <Select value={role} onChange={setRole} options={ROLE_OPTIONS} />
        </Field>
        {invite.error && <ErrorNote error={invite.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={invite.isPending} disabled={email.trim() === ''}>
            Invite
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
