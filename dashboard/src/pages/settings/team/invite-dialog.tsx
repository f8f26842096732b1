import type { InvitedMember, MemberInvite } from '@carabiner/sdk'
import { useState } from 'react'
import type { Role } from '../../../api/session.ts'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { ROLE_OPTIONS } from './roles.ts'
import { useMemberChange } from './use-members.ts'

type Props = { onClose: () => void; onInvited: (invited: InvitedMember) => void }

export const InviteDialog = ({ onClose, onInvited }: Props) => {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const invite = useMemberChange((api, body: MemberInvite) => api.members.invite(body), onInvited)
  const submit = (): void =>
    invite.mutate({ email: email.trim(), role, ...(name.trim() !== '' && { name: name.trim() }) })
  return (
    <FormDialog
      title="Invite a member"
      width="md"
      action="Invite"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={email.trim() === ''}
      request={invite}
    >
      <TextField
        label="Email"
        type="email"
        required
        maxLength={254}
        value={email}
        onChange={setEmail}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label="Name"
        hint="Optional. They can change it later."
        maxLength={120}
        value={name}
        onChange={setName}
        autoComplete="off"
      />
      <SelectField label="Role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
    </FormDialog>
  )
}
