import type { McpConnector, McpConnectorCreate } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useConnectorTools } from '../../api/use-connectors.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { DialogForm } from '../../ui/overlays/form-dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'

type Authentication = NonNullable<McpConnectorCreate['authentication']>
const DISCOVERED = 'discovered'
const AUTHENTICATION = [
  { value: DISCOVERED, label: 'Detect automatically' },
  { value: 'none', label: 'None' },
  { value: 'oauth', label: 'OAuth: each user signs in' },
  { value: 'user_secret', label: 'One secret per user' },
  { value: 'organization_secret', label: 'One secret for your organization' },
] as const

type Props = { onClose: () => void; onAdded: (slug: string) => void }

/** URL → the service contacts the server → its tools → keep or remove. */
const AddServerDialog = ({ onClose, onAdded }: Props) => {
  const [added, setAdded] = useState<McpConnector | null>(null)
  return (
    <Dialog
      isOpen
      onClose={added ? () => onAdded(added.slug) : onClose}
      width="md"
      title={added ? `Review ${added.name}` : 'Add an MCP server'}
      description={
        added
          ? 'The server offers these tools. Later changes wait for your review.'
          : 'Carabiner connects to the server and shows its tools before you add it.'
      }
    >
      {added ? (
        <Preview server={added} onKeep={() => onAdded(added.slug)} onRemoved={onClose} />
      ) : (
        <ServerForm onClose={onClose} onAdded={setAdded} />
      )}
    </Dialog>
  )
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)

const ServerForm = ({
  onClose,
  onAdded,
}: {
  onClose: () => void
  onAdded: (server: McpConnector) => void
}) => {
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [authentication, setAuthentication] = useState<Authentication | typeof DISCOVERED>(DISCOVERED)
  const [secret, setSecret] = useState('')
  const [clientId, setClientId] = useState('')
  const [clientSecret, setClientSecret] = useState('')
  const create = useApiMutation((api, body: McpConnectorCreate) => api.mcpConnectors.create(body), {
    mode: 'production',
    invalidates: [['connectors', 'list']],
    onSuccess: onAdded,
  })
  const needsClient = create.error?.code === 'mcp_client_required' || clientId !== ''
  const submit = (): void =>
    create.mutate({
      url: url.trim(),
      name: name.trim(),
      slug: slugOf(name),
      ...(authentication !== DISCOVERED && { authentication }),
      ...(authentication === 'organization_secret' && secret && { secret }),
      ...(clientId && { client_id: clientId }),
      ...(clientSecret && { client_secret: clientSecret }),
    })
  return (
    <DialogForm
      action="Discover tools"
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={url.trim() === '' || slugOf(name) === ''}
      request={create}
    >
      <TextField
        label="Server URL"
        type="url"
        required
        maxLength={2048}
        value={url}
        placeholder="https://mcp.example.com/mcp"
        onChange={setUrl}
        autoFocus
      />
      <TextField
        label="Name"
        hint={
          name ? `Its tool names start with ${slugOf(name) || '…'}__.` : 'Shown to users when they connect.'
        }
        required
        maxLength={40}
        value={name}
        onChange={setName}
      />
      <SelectField
        label="Authentication"
        value={authentication}
        onChange={setAuthentication}
        options={AUTHENTICATION}
      />
      {authentication === 'organization_secret' && (
        <TextField
          label="Secret"
          hint="Sent as a bearer token. Stored encrypted."
          type="password"
          required
          value={secret}
          autoComplete="off"
          onChange={setSecret}
        />
      )}
      {needsClient && (
        <>
          <TextField
            label="Client ID"
            hint="The server does not support automatic client registration."
            required
            value={clientId}
            autoComplete="off"
            onChange={setClientId}
          />
          <TextField
            label="Client secret (optional)"
            type="password"
            value={clientSecret}
            autoComplete="off"
            onChange={setClientSecret}
          />
        </>
      )}
    </DialogForm>
  )
}

type PreviewProps = { server: McpConnector; onKeep: () => void; onRemoved: () => void }

const Preview = ({ server, onKeep, onRemoved }: PreviewProps) => {
  const { data, error } = useConnectorTools(server.slug)
  const remove = useApiMutation((api, slug: string) => api.mcpConnectors.delete(slug), {
    mode: 'production',
    invalidates: [['connectors', 'list']],
    onSuccess: onRemoved,
  })
  return (
    <div className="grid gap-5">
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <SkeletonRows label="Loading tools" rows={3} isInCard={false} />
      ) : data.tools.length === 0 ? (
        <p className="text-sm text-muted">
          This server lists its tools only after a user has connected an account.
        </p>
      ) : (
        <ul aria-label="Found tools" className="grid max-h-80 gap-3 overflow-y-auto" tabIndex={0}>
          {data.tools.map(({ name, description }) => (
            <li key={name} className="grid gap-0.5">
              <code className="font-mono text-xs font-medium">{name}</code>
              <span className="text-xs text-muted">{description}</span>
            </li>
          ))}
        </ul>
      )}
      {data && data.problems.length > 0 && (
        <ul
          aria-label="Warnings"
          className="grid gap-1 rounded-control bg-warn-soft px-3 py-2.5 text-sm text-warn"
        >
          {data.problems.map(problem => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {remove.error && <ErrorNote error={remove.error} />}
      <DialogActions>
        <Button isBusy={remove.isPending} onClick={() => remove.mutate(server.slug)}>
          Cancel
        </Button>
        <Button kind="primary" onClick={onKeep}>
          Add server
        </Button>
      </DialogActions>
    </div>
  )
}

export default AddServerDialog
