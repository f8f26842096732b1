import type { PolicyRule } from '@carabiner/sdk'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { SaveError } from './save-error.tsx'
import { useDeleteRule } from './use-policies.ts'

type Props = { rule: PolicyRule; onClose: () => void; onDeleted: () => void }

const CONSEQUENCES = {
  deny: 'Calls that it denies can run from the next call on.',
  ask: 'Calls that it asks about can run without an approval from the next call on.',
  allow: 'The default applies to the calls that it allows.',
  hook: 'Calls that it matches no longer ask the hook, and its signing secret is deleted.',
}

const DeleteRuleDialog = ({ rule, onClose, onDeleted }: Props) => {
  const remove = useDeleteRule(() => {
    toast({ title: 'Rule deleted' })
    onClose()
    onDeleted()
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => remove.mutate(rule.id)}
      title={`Delete “${rule.name}”?`}
      action="Delete rule"
      request={{ isPending: remove.isPending, error: null }}
      fields={remove.error && <SaveError error={remove.error} />}
    >
      {CONSEQUENCES[rule.effect ?? 'hook']}
    </ConfirmDialog>
  )
}

export default DeleteRuleDialog
