import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'

const TurnOffDialog = ({ onClose }: { onClose: () => void }) => {
  const remove = useApiMutation<void, void>(api => api.signIn.delete(), {
    invalidates: [['user-sign-in']],
    onSuccess: () => {
      onClose()
      toast({ title: 'User sign-in is off' })
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      title="Turn user sign-in off?"
      action="Turn off"
      isBusy={remove.isPending}
      error={remove.error}
    >
      The settings are deleted with the client secret. Nobody can sign in, and clients that are signed in stop
      working at once. API keys and MCP keys continue to work.
    </ConfirmDialog>
  )
}

export default TurnOffDialog
