import type { ApiKey } from '@carabiner/sdk'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useApiKeyChange } from './use-api-keys.ts'

export const RevokeKeyDialog = ({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) => {
  const revoke = useApiKeyChange(
    (api, id: string) => api.apiKeys.revoke(id),
    () => {
      onClose()
      toast({ title: `${apiKey.name} is revoked` })
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => revoke.mutate(apiKey.id)}
      title={`Revoke ${apiKey.name}?`}
      action="Revoke key"
      isBusy={revoke.isPending}
      error={revoke.error}
    >
      Programs that use this test key fail at once. Test data is kept.
    </ConfirmDialog>
  )
}
