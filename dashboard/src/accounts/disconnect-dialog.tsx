import { useApiMutation } from '../api/use-api-mutation.ts'
import { ConfirmDialog } from '../ui/overlays/confirm-dialog.tsx'
import type { AccountDialogProps } from './account-owner.ts'
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
      title={owner.isOrganization ? `Disconnect ${name}?` : `Disconnect ${name} from ${owner.name}?`}
      action="Disconnect"
      request={disconnect}
    >
      The token is revoked at the provider if the provider supports it.{' '}
      {!owner.isOrganization && 'This connector’s tools will ask the user to connect again. '}
      {describeAccess(account) && 'Everyone it is shared with loses access on their next call.'}
    </ConfirmDialog>
  )
}

export default DisconnectDialog
