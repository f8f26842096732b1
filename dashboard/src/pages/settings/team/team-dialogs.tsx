import type { Member } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import type { Role } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../../ui/overlays/dialog-actions.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { ROLE_OPTIONS } from './roles.ts'
import { SignInLinkDialog } from './sign-in-link-dialog.tsx'
import type { TeamAction } from './team-page.tsx'
import { useMemberChange } from './use-members.ts'

type Props = { asked: TeamAction; onChange: (asked: TeamAction | null) => void }

const TeamDialogs = ({ asked, onChange }: Props) => {
  const close = (): void => onChange(null)
  switch (asked.action) {
    case 'invite':
      return (
        <InviteDialog onClose={close} onInvited={invited => onChange({ action: 'show-link', invited })} />
      )
    case 'show-link':
      return <SignInLinkDialog invited={asked.invited} onClose={close} />
    case 'role':
      return <RoleDialog member={asked.member} onClose={close} />
    case 'remove':
      return <RemoveDialog member={asked.member} onClose={close} />
    case 'link':
      return <RenewDialog member={asked.member} onClose={close} onChange={onChange} />
  }
}

type MemberProps = { member: Member; onClose: () => void }

const RoleDialog = ({ member, onClose }: MemberProps) => {
  const [role, setRole] = useState<Role>(member.role)
  const change = useMemberChange((api, next: Role) => api.members.update(member.id, { role: next }), onClose)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate(role)
  }
  return (
    <Dialog isOpen onClose={onClose} title={`Role of ${member.name}`}>
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Role">
          <Select value={role} onChange={setRole} options={ROLE_OPTIONS} />
        </Field>
        {change.error && <ErrorNote error={change.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={change.isPending} disabled={role === member.role}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
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
      isBusy={remove.isPending}
      error={remove.error}
    >
      {member.name} loses access to this organization at once. What {member.name} has changed is kept, and
      stays in the audit trail.
    </ConfirmDialog>
  )
}

const RenewDialog = ({ member, onClose, onChange }: MemberProps & Pick<Props, 'onChange'>) => {
  const renew = useMemberChange(
    (api, id: string) => api.members.createSignInLink(id),
    invited => onChange({ action: 'show-link', invited }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`New sign-in link for ${member.name}?`}
      description="For a member who has lost the password or the invitation. The link works once, for three days, and lets them choose a new password."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={renew.isPending} onClick={() => renew.mutate(member.id)}>
            Create link
          </Button>
        </>
      }
    >
      {renew.error && <ErrorNote error={renew.error} />}
    </Dialog>
  )
}

export default TeamDialogs
