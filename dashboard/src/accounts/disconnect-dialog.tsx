import { useApiMutation } from '../api/use-api-mutation.ts'
import { ConfirmDialog } from '../ui/overlays/confirm-dialog.tsx'
import type { AccountDialogProps } from './account-dialog.ts'
import { describeAccess } from './describe-access.ts'

const DisconnectDialog = ({ account, owner, name, onClose }: AccountDialogProps) => {
  const disconnect = useApiMutation(
    (api, id: string) => api.registeredUsers.credentials.delete(owner.id, id),
    // Lists of users show the connectors of each.
    { invalidates: [owner.queryKey, ['users']], onSuccess: onClose },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => disconnect.mutate(account.credential_id)}
      title={`Disconnect ${name}?`}
      action="Disconnect"
      isBusy={disconnect.isPending}
      error={disconnect.error}
    >
      The token is revoked at the provider where possible.{' '}
      {!owner.isOrganization && 'Tools of this connector ask the user to connect again. '}
      {describeAccess(account) && 'Everyone with whom the account is shared loses it with the next call.'}
    </ConfirmDialog>
  )
}

export default DisconnectDialog
