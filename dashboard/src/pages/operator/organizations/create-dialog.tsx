import type { CreatedOrganization, OrganizationCreate } from '@carabiner/contract'
import { useState } from 'react'
import { createOrganization } from '../../../api/installation.ts'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { type PlanDraft, PlanFields, readLimit } from './plan-fields.tsx'
import { useOrganizationChange } from './use-organizations.ts'

type Props = { onClose: () => void; onCreated: (created: CreatedOrganization) => void }

const CreateDialog = ({ onClose, onCreated }: Props) => {
  const [name, setName] = useState('')
  const [draft, setDraft] = useState<PlanDraft>({ plan: 'enterprise', limit: '' })
  const limit = readLimit(draft.limit)
  const create = useOrganizationChange((body: OrganizationCreate) => createOrganization(body), onCreated)
  const submit = (): void => {
    if (limit !== undefined) create.mutate({ name: name.trim(), plan: draft.plan, call_limit: limit })
  }
  return (
    <FormDialog
      title="Create an organization"
      description="It gets its own users, connectors, keys and audit trail."
      width="md"
      action="Create"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={name.trim() === '' || limit === undefined}
      request={create}
    >
      <TextField
        label="Name"
        hint="End users see it on the Link pages."
        required
        maxLength={255}
        value={name}
        onChange={setName}
        autoComplete="off"
        autoFocus
      />
      <PlanFields draft={draft} onChange={setDraft} />
    </FormDialog>
  )
}

export default CreateDialog
