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
      title="Turn off user sign-in?"
      action="Turn off"
      request={remove}
    >
      The settings and the client secret are deleted. Nobody can sign in, and signed-in clients stop working
      immediately. API keys and MCP keys keep working.
    </ConfirmDialog>
  )
}

export default TurnOffDialog
