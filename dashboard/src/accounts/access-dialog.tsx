import { type FormEvent, useState } from 'react'
import { fieldError } from '../api/field-error.ts'
import { useScope } from '../api/use-api.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { PackList } from '../pickers/pack-list.tsx'
import { UserList } from '../pickers/user-list.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/forms/switch.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { DialogActions } from '../ui/overlays/dialog-actions.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import type { AccountDialogProps } from './account-owner.ts'

type Props = AccountDialogProps & { isReadOnly: boolean }

/** Who besides its owner may make calls with an account. */
const AccessDialog = ({ account, owner, name, onClose, isReadOnly }: Props) => {
  const { mode } = useScope()
  const [access, setAccess] = useState(account.shared_with)
  const [isPending, setPending] = useState(false)
  const { everyone, registered_user_ids: userIds, tool_pack_ids: packIds } = access
  const save = useApiMutation(
    (api, next: typeof access) =>
      api.registeredUsers.credentials.share(owner.id, account.credential_id, next),
    {
      invalidates: [owner.queryKey],
      onSuccess: () => {
        onClose()
        toast({ title: 'Access saved', description: 'It applies from the next call.' })
      },
    },
  )
  const userProblem = fieldError(save.error, 'registered_user_ids')
  const packProblem = fieldError(save.error, 'tool_pack_ids')
  // A user who was entered, and is being looked up, must not be left out.
  const isIncomplete = isPending && !everyone
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!save.isPending && !isIncomplete) save.mutate(access)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="md"
      title={`Access to ${name}`}
      description={`${
        owner.isOrganization
          ? 'Nobody can use the account until you share it.'
          : `${owner.name} owns the account.`
      } Others make calls with it. They cannot read, rename, disconnect or share it.`}
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Switch
          label="Everyone"
          hint={`Every Registered User in ${mode} mode, including those created later.`}
          isOn={everyone}
          isDisabled={isReadOnly}
          onChange={isOn => setAccess({ ...access, everyone: isOn })}
        />
        {!everyone && (
          <>
            <UserList
              value={userIds}
              onChange={ids => setAccess({ ...access, registered_user_ids: ids })}
              onPending={setPending}
              excluded={owner.id}
              isDisabled={isReadOnly}
              error={userProblem}
            />
            <section className="grid gap-1.5">
              <h3 className="text-sm font-medium">Tool Packs</h3>
              <PackList
                label="Tool Packs with access"
                value={packIds}
                onChange={ids => setAccess({ ...access, tool_pack_ids: ids })}
                isDisabled={isReadOnly}
              />
              <p className="text-xs text-muted">Everyone who uses one of these packs.</p>
              {packProblem && (
                <p role="alert" className="text-xs font-medium text-bad">
                  {packProblem}
                </p>
              )}
            </section>
          </>
        )}
        {save.error && !userProblem && !packProblem && <ErrorNote error={save.error} />}
        {isReadOnly ? (
          <DialogActions>
            <Button onClick={onClose}>Close</Button>
          </DialogActions>
        ) : (
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              kind="primary"
              isBusy={save.isPending}
              disabled={isIncomplete || JSON.stringify(access) === JSON.stringify(account.shared_with)}
            >
              Save access
            </Button>
          </DialogActions>
        )}
      </form>
    </Dialog>
  )
}

export default AccessDialog
