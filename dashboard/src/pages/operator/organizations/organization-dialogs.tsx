import type { InstalledOrganization, PlanChange } from '@carabiner/contract'
import { type FormEvent, useState } from 'react'
import { activateOrganization, setPlan, suspendOrganization } from '../../../api/installation.ts'
import { DeleteOrganizationDialog } from '../../../leaving/delete-organization-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../../ui/overlays/dialog-actions.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import type { OrganizationAction } from './organization-drawer.tsx'
import { type PlanDraft, PlanFields, readLimit } from './plan-fields.tsx'
import { useOrganizationChange, useReloadOrganizations } from './use-organizations.ts'

type Props = { organization: InstalledOrganization; onClose: () => void }

const OrganizationDialogs = ({
  asked,
  onDeleted,
  ...props
}: Props & { asked: OrganizationAction; onDeleted: () => void }) => {
  switch (asked) {
    case 'plan':
      return <PlanDialog {...props} />
    case 'suspend':
      return <SuspendDialog {...props} />
    case 'activate':
      return <ActivateDialog {...props} />
    case 'delete':
      return <DeleteDialog {...props} onDeleted={onDeleted} />
  }
}

const PlanDialog = ({ organization, onClose }: Props) => {
  const [draft, setDraft] = useState<PlanDraft>({
    plan: organization.plan,
    limit: organization.call_limit === null ? '' : String(organization.call_limit),
  })
  const limit = readLimit(draft.limit)
  const change = useOrganizationChange(
    (body: PlanChange) => setPlan(organization.id, body),
    ({ name }) => {
      onClose()
      toast({ title: `Plan of ${name} saved` })
    },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (limit !== undefined) change.mutate({ plan: draft.plan, call_limit: limit })
  }
  const isUnchanged = draft.plan === organization.plan && limit === organization.call_limit
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Plan of ${organization.name}`}
      description="It applies at once. A lower limit stops calls in production if it is already used up."
      width="md"
    >
      <form className="grid gap-5" onSubmit={submit}>
        <PlanFields draft={draft} onChange={setDraft} />
        {change.error && <ErrorNote error={change.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={change.isPending}
            disabled={isUnchanged || limit === undefined}
          >
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const SuspendDialog = ({ organization: { id, name }, onClose }: Props) => {
  const suspend = useOrganizationChange(
    () => suspendOrganization(id),
    () => {
      onClose()
      toast({ title: `${name} is suspended` })
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => suspend.mutate(undefined)}
      title={`Suspend ${name}?`}
      action="Suspend"
      isBusy={suspend.isPending}
      error={suspend.error}
    >
      <ul className="grid list-disc gap-1.5 ps-5">
        <li>Its API and MCP requests fail at once with 403 organization_suspended.</li>
        <li>Users who open a Link page or My connections read that connections are paused.</li>
        <li>Webhooks, refreshes and retention are paused. Calls in flight end normally.</li>
        <li>Nothing is deleted. Activating it restores everything.</li>
      </ul>
    </ConfirmDialog>
  )
}

const ActivateDialog = ({ organization: { id, name }, onClose }: Props) => {
  const activate = useOrganizationChange(
    () => activateOrganization(id),
    () => {
      onClose()
      toast({ title: `${name} is active` })
    },
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Activate ${name}?`}
      description="Its keys, links and connections work again at once. Webhook deliveries that waited are sent."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={activate.isPending} onClick={() => activate.mutate(undefined)}>
            Activate
          </Button>
        </>
      }
    >
      {activate.error && <ErrorNote error={activate.error} />}
    </Dialog>
  )
}

const DeleteDialog = ({ organization, onClose, onDeleted }: Props & { onDeleted: () => void }) => {
  const reload = useReloadOrganizations()
  return (
    <DeleteOrganizationDialog
      organization={organization}
      onClose={onClose}
      onDeleted={() => {
        toast({ title: `${organization.name} is being deleted` })
        void reload().then(onDeleted)
      }}
    />
  )
}

export default OrganizationDialogs
