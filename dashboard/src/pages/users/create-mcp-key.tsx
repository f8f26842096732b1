import { type McpKeyCreate, mcpUrl, type NewMcpKey, type RegisteredUser } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { PackField, useChosenPack } from '../../pickers/pack-field.tsx'
import { nameOf } from '../../pickers/user-field.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { SecretDialog, ShownOnce } from '../../ui/overlays/secret-dialog.tsx'
import { CLAUDE_CODE, MCP_JSON, type McpClient } from '../tool-packs/client-snippets.ts'

const LIFETIMES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const
type Lifetime = (typeof LIFETIMES)[number]['value']

type Props = { user: RegisteredUser; onClose: () => void }

/** An MCP key of a user for one Tool Pack. The key is shown once, with configurations of clients that contain it. */
const CreateMcpKey = ({ user, onClose }: Props) => {
  const [name, setName] = useState('')
  const [packId, setPackId] = useState<string>()
  const [lifetime, setLifetime] = useState<Lifetime>('30')
  const [created, setCreated] = useState<NewMcpKey | null>(null)
  const pack = useChosenPack(packId)
  const create = useApiMutation(
    (api, body: McpKeyCreate) => api.registeredUsers.mcpKeys.create(user.id, body),
    { invalidates: [['users', 'mcp-keys', user.id]], onSuccess: setCreated },
  )
  if (created) return <NewMcpKeyDialog mcpKey={created} onClose={onClose} />
  const submit = (): void => {
    if (pack)
      create.mutate({ name: name.trim(), tool_pack_ids: [pack.id], expires_in_days: Number(lifetime) })
  }
  return (
    <FormDialog
      title={`Create an MCP key for ${nameOf(user)}`}
      description="An agent with this key uses the accounts of this user only, through one Tool Pack."
      action="Create key"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={name.trim() === '' || !pack}
      request={create}
    >
      <TextField
        label="Name"
        hint="Where it is used, for example “Laptop”."
        required
        maxLength={255}
        value={name}
        onChange={setName}
        autoComplete="off"
        autoFocus
      />
      <PackField value={pack?.id} onChange={setPackId} />
      <SelectField label="Expires" value={lifetime} onChange={setLifetime} options={LIFETIMES} />
    </FormDialog>
  )
}

const NewMcpKeyDialog = ({ mcpKey, onClose }: { mcpKey: NewMcpKey; onClose: () => void }) => {
  const url = mcpUrl({
    baseUrl: window.location.origin,
    toolPackId: mcpKey.tool_pack_ids[0] ?? '',
    registeredUserId: mcpKey.registered_user_id,
  })
  const codeOf = ({ name, code }: McpClient) => ({
    language: name,
    text: code({ url, key: mcpKey.key }).text,
  })
  return (
    <SecretDialog
      title={`Copy your new MCP key “${mcpKey.name}”`}
      description="This is the only time it is shown."
      confirmation="I have stored the key"
      onClose={onClose}
    >
      <ShownOnce text={mcpKey.key} action="Copy key" />
      <div className="grid min-w-0 gap-2">
        <p className="text-sm text-muted">Configure a client with it:</p>
        <Snippet label="Configuration with the new key" codes={[codeOf(CLAUDE_CODE), codeOf(MCP_JSON)]} />
      </div>
    </SecretDialog>
  )
}

export default CreateMcpKey
