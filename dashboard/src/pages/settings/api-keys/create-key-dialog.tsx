import type { KeyGroup } from '@carabiner/contract/key-groups'
import type { ApiKey, ApiKeyCreate, NewApiKey } from '@carabiner/sdk'
import { useState } from 'react'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { GroupChoice } from './group-choice.tsx'
import { useApiKeyChange } from './use-api-keys.ts'

const LIFETIMES = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const
type Lifetime = (typeof LIFETIMES)[number]['value']

const ACCESS = [
  { value: 'all', label: 'Unrestricted', hint: 'Everything except policies and approvals' },
  { value: 'groups', label: 'Restricted', hint: 'Only the operation groups you choose' },
] as const
type Access = (typeof ACCESS)[number]['value']

const DESCRIPTIONS = {
  production: 'Production keys act on real users’ data. Create one for each program.',
  test: 'Test keys use test data only. Create one for each developer or environment.',
}

type Props = { mode: ApiKey['mode']; onClose: () => void; onCreated: (key: NewApiKey) => void }

export const CreateKeyDialog = ({ mode, onClose, onCreated }: Props) => {
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const [access, setAccess] = useState<Access>('all')
  const [groups, setGroups] = useState<readonly KeyGroup[]>([])
  const create = useApiKeyChange((api, body: ApiKeyCreate) => api.apiKeys.create(body), onCreated)
  const isRestricted = access === 'groups'
  const submit = (): void =>
    create.mutate({
      name: name.trim(),
      mode,
      ...(isRestricted && { groups: [...groups] }),
      ...(lifetime !== 'never' && { expires_in_days: Number(lifetime) }),
    })
  return (
    <FormDialog
      title={`Create a ${mode} key`}
      description={DESCRIPTIONS[mode]}
      width="md"
      action="Create key"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={name.trim() === '' || (isRestricted && groups.length === 0)}
      request={create}
    >
      <TextField
        label="Name"
        hint="Who or what uses it, for example “Backend”."
        required
        maxLength={255}
        value={name}
        onChange={setName}
        autoFocus
      />
      <SelectField label="Expires" value={lifetime} onChange={setLifetime} options={LIFETIMES} />
      <SelectField label="Access" value={access} onChange={setAccess} options={ACCESS} />
      {isRestricted && <GroupChoice value={groups} onChange={setGroups} />}
    </FormDialog>
  )
}
