import type { CreatedOrganization, OrganizationCreate } from '@carabiner/contract'
import { type FormEvent, useState } from 'react'
import { createOrganization } from '../../../api/installation.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { type PlanDraft, PlanFields, readLimit } from './plan-fields.tsx'
import { useOrganizationChange } from './use-organizations.ts'

type Props = { onClose: () => void; onCreated: (created: CreatedOrganization) => void }

const CreateDialog = ({ onClose, onCreated }: Props) => {
  const [name, setName] = useState('')
  const [draft, setDraft] = useState<PlanDraft>({ plan: 'enterprise', limit: '' })
  const limit = readLimit(draft.limit)
  const create = useOrganizationChange((body: OrganizationCreate) => createOrganization(body), onCreated)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (limit !== undefined) create.mutate({ name: name.trim(), plan: draft.plan, call_limit: limit })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create an organization"
      description="It gets its own users, connectors, keys and audit trail."
      width="md"
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Name" hint="Its users see it on the Link pages.">
          <Input
            required
            maxLength={255}
            value={name}
            onChange={event => setName(event.target.value)}
            autoComplete="off"
            autoFocus
          />
        </Field>
        <PlanFields draft={draft} onChange={setDraft} />
        {create.error && <ErrorNote error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={create.isPending}
            disabled={name.trim() === '' || limit === undefined}
          >
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default CreateDialog
