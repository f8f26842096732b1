import type { InstalledOrganization, PlanChange } from '@carabiner/contract'
import { useState } from 'react'
import { activateOrganization, setPlan, suspendOrganization } from '../../../api/installation.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { DeleteOrganizationDialog } from '../../settings/organization/delete-organization-dialog.tsx'
import { type PlanDraft, PlanFields, readLimit } from './plan-fields.tsx'
import { useOrganizationChange, useReloadOrganizations } from './use-organizations.ts'

export type OrganizationAction = 'plan' | 'suspend' | 'activate' | 'delete'

type Props = { organization: InstalledOrganization; onClose: () => void }

const OrganizationDialogs = ({
  dialog,
  onDeleted,
  ...props
}: Props & { dialog: OrganizationAction; onDeleted: () => void }) => {
  switch (dialog) {
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
  const submit = (): void => {
    if (limit !== undefined) change.mutate({ plan: draft.plan, call_limit: limit })
  }
  const isUnchanged = draft.plan === organization.plan && limit === organization.call_limit
  return (
    <FormDialog
      title={`Plan of ${organization.name}`}
      description="Takes effect immediately. If the new limit is already used up, production calls stop."
      width="md"
      action="Save"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={isUnchanged || limit === undefined}
      request={change}
    >
      <PlanFields draft={draft} onChange={setDraft} />
    </FormDialog>
  )
}

const SuspendDialog = ({ organization: { id, name }, onClose }: Props) => {
  const suspend = useOrganizationChange(
    () => suspendOrganization(id),
    () => {
      onClose()
      toast({ title: `${name} suspended` })
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => suspend.mutate(undefined)}
      title={`Suspend ${name}?`}
      action="Suspend"
      request={suspend}
    >
      <ul className="grid list-disc gap-1.5 ps-5">
        <li>Its API and MCP requests fail immediately with 403 organization_suspended.</li>
        <li>Link pages and My connections tell users that connections are paused.</li>
        <li>Webhooks, refreshes and retention are paused. Calls in flight complete normally.</li>
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
      toast({ title: `${name} activated` })
    },
  )
  return (
    <FormDialog
      title={`Activate ${name}?`}
      description="Its keys, links and connections work again immediately, and pending webhook deliveries are sent."
      action="Activate"
      onClose={onClose}
      onSubmit={() => activate.mutate(undefined)}
      request={activate}
    />
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
