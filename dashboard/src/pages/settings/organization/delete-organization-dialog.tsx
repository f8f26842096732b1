import type { ManagedOrganization } from '@carabiner/contract'
import type { CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteOrganization } from '../../../api/installation.ts'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'

type Props = {
  organization: { id: string; name: string }
  onClose: () => void
  onDeleted: () => void
}

/** For operators, and for administrators of the organization. */
export const DeleteOrganizationDialog = ({ organization: { id, name }, onClose, onDeleted }: Props) => {
  const [revoke, setRevoke] = useState(true)
  const remove = useMutation<ManagedOrganization, CarabinerError>({
    mutationFn: () => deleteOrganization(id, { name, revoke }),
    onSuccess: onDeleted,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      title={`Delete ${name}?`}
      width="md"
      fields={
        <Checkbox isChecked={revoke} onChange={setRevoke}>
          Revoke its users’ tokens at their providers first (takes up to a day)
        </Checkbox>
      }
      typedName={name}
      action="Delete organization"
      request={remove}
    >
      <ul className="grid list-disc gap-1.5 ps-5">
        <li>Its API keys, MCP endpoints and links stop working immediately.</li>
        <li>Its users, connections, records, settings and audit trail are deleted.</li>
        <li>This cannot be undone. Export it first if you might need the data.</li>
      </ul>
    </ConfirmDialog>
  )
}
