import type { InvitedMember, Member } from '@carabiner/sdk'
import { useState } from 'react'
import type { Role } from '../../../api/session.ts'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { ROLE_OPTIONS } from './roles.ts'
import { SignInLinkDialog } from './sign-in-link-dialog.tsx'
import { useMemberChange } from './use-members.ts'

export type TeamAction =
  | { action: 'invite' }
  | { action: 'role' | 'remove' | 'link'; member: Member }
  | { action: 'show-link'; invited: InvitedMember }

type Props = { dialog: TeamAction; onChange: (dialog: TeamAction | null) => void }

const TeamDialogs = ({ dialog, onChange }: Props) => {
  const close = (): void => onChange(null)
  switch (dialog.action) {
    case 'invite':
      return (
        <InviteDialog onClose={close} onInvited={invited => onChange({ action: 'show-link', invited })} />
      )
    case 'show-link':
      return <SignInLinkDialog invited={dialog.invited} onClose={close} />
    case 'role':
      return <RoleDialog member={dialog.member} onClose={close} />
    case 'remove':
      return <RemoveDialog member={dialog.member} onClose={close} />
    case 'link':
      return <RenewDialog member={dialog.member} onClose={close} onChange={onChange} />
  }
}

type MemberProps = { member: Member; onClose: () => void }

const RoleDialog = ({ member, onClose }: MemberProps) => {
  const [role, setRole] = useState<Role>(member.role)
  const change = useMemberChange((api, next: Role) => api.members.update(member.id, { role: next }), onClose)
  return (
    <FormDialog
      title={`Role of ${member.name}`}
      action="Save"
      onClose={onClose}
      onSubmit={() => change.mutate(role)}
      isIncomplete={role === member.role}
      request={change}
    >
      <SelectField label="Role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
    </FormDialog>
  )
}

const RemoveDialog = ({ member, onClose }: MemberProps) => {
  const remove = useMemberChange(
    (api, id: string) => api.members.remove(id),
    () => {
      onClose()
      toast({ title: `${member.name} is no longer a member` })
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => remove.mutate(member.id)}
      title={`Remove ${member.name}?`}
      action="Remove member"
      request={remove}
    >
      {member.name} loses access to this organization immediately. Their changes are kept and stay in the
      audit trail.
    </ConfirmDialog>
  )
}

const RenewDialog = ({ member, onClose, onChange }: MemberProps & Pick<Props, 'onChange'>) => {
  const renew = useMemberChange(
    (api, id: string) => api.members.createSignInLink(id),
    invited => onChange({ action: 'show-link', invited }),
  )
  return (
    <FormDialog
      title={`New sign-in link for ${member.name}?`}
      description="For members who lost their password or invitation. The link works once within three days and lets them choose a new password."
      action="Create link"
      onClose={onClose}
      onSubmit={() => renew.mutate(member.id)}
      request={renew}
    />
  )
}

export default TeamDialogs
