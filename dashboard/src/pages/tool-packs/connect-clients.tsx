import { mcpUrl, type NewMcpKey, type ToolPack } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { nameOf, UserField, useChosenUser } from '../../pickers/user-field.tsx'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { MCP_CLIENTS } from './client-snippets.ts'

const route = getRouteApi('/o/$organization/$mode/tool-packs/$packId')
const KEY_PLACEHOLDER = 'YOUR_MCP_KEY'

/** The MCP URL of this pack for one user, as configuration of common clients. */
export const ConnectClients = ({ pack }: { pack: ToolPack }) => {
  const { user: userId } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: user } = useChosenUser(userId)
  const [clientName, setClientName] = useState(MCP_CLIENTS[0].name)
  const [key, setKey] = useState<NewMcpKey | null>(null)
  const client = MCP_CLIENTS.find(({ name }) => name === clientName) ?? MCP_CLIENTS[0]
  const url = mcpUrl({
    baseUrl: window.location.origin,
    toolPackId: pack.id,
    registeredUserId: user?.id ?? 'REGISTERED_USER_ID',
  })
  const keyText = key && key.registered_user_id === user?.id ? key.key : KEY_PLACEHOLDER
  const code = client.code({ url, key: keyText })
  return (
    <div className="grid gap-4">
      <SignInAddress pack={pack} />
      <Card
        title="Whose agent is it?"
        note="Every user has their own URL, so an agent can never act for someone else."
      >
        <div className="grid items-start gap-4 md:grid-cols-2">
          <UserField
            value={userId}
            onChange={next =>
              void navigate({ search: previous => ({ ...previous, user: next }), replace: true })
            }
          />
          <SelectField
            label="Client"
            value={client.name}
            onChange={setClientName}
            options={MCP_CLIENTS.map(({ name }) => ({ value: name, label: name }))}
          />
        </div>
      </Card>
      <Card title="MCP URL">
        <p className="flex items-center gap-1">
          <code className="min-w-0 flex-1 font-mono text-xs">{url}</code>
          <CopyButton text={url} label="Copy the MCP URL" />
        </p>
      </Card>
      <Card
        title={client.name}
        note={client.note}
        actions={user && <CreateKey pack={pack} userId={user.id} onCreated={setKey} />}
      >
        <div className="grid gap-3">
          <Snippet key={client.name} label={`Configuration of ${client.name}`} codes={[code]} />
          <p className="text-xs text-muted">
            {keyText === KEY_PLACEHOLDER
              ? 'Replace YOUR_MCP_KEY with one of the user’s MCP keys. On your own server, use an API key.'
              : `The key is shown only now. It works for ${user ? nameOf(user) : 'the user'} and this pack, for 30 days.`}
          </p>
        </div>
      </Card>
    </div>
  )
}

/** The address for clients that sign their user in. Packs are loaded in production mode, so the mode's own handle is loaded here. */
const SignInAddress = ({ pack }: { pack: ToolPack }) => {
  const { mode } = useScope()
  const handle = useApiQuery(['tool-packs', 'handle', pack.id], async (api, options) =>
    mode === 'production' ? pack.handle : (await api.toolPacks.get(pack.id, options)).handle,
  )
  const settings = useApiQuery(['user-sign-in'], (api, options) => api.signIn.get(options))
  const isOff = settings.data?.updated_at === null
  const isExcluded = settings.data?.tool_pack_ids?.includes(pack.id) === false
  const url = `${window.location.origin}/mcp/${handle.data}`
  return (
    <Card
      title="Clients that sign users in"
      note={
        <>
          One address for everyone: the client opens your sign-in page, and the user needs no key.{' '}
          {isOff && 'It does not work yet because user sign-in is not configured. '}
          {isExcluded && 'It does not work because sign-in is not allowed for this pack. '}
          <PageLink path="/settings/user-sign-in" className="underline underline-offset-2">
            {isOff ? 'Configure user sign-in' : 'User sign-in'}
          </PageLink>
        </>
      }
    >
      {handle.error ? (
        <ErrorNote error={handle.error} />
      ) : handle.data === undefined ? (
        <SkeletonRows label="Loading the address" rows={1} isInCard={false} />
      ) : (
        <p className="flex items-center gap-1">
          <code className="min-w-0 flex-1 font-mono text-xs">{url}</code>
          <CopyButton text={url} label="Copy sign-in address" />
        </p>
      )}
    </Card>
  )
}

type CreateKeyProps = { pack: ToolPack; userId: string; onCreated: (key: NewMcpKey) => void }

const CreateKey = ({ pack, userId, onCreated }: CreateKeyProps) => {
  const mayBuild = useMay('build')
  const create = useApiMutation(
    (api, id: string) =>
      api.registeredUsers.mcpKeys.create(id, {
        name: `${pack.name}, from the dashboard`,
        tool_pack_ids: [pack.id],
      }),
    { invalidates: [['users', 'mcp-keys']], onSuccess: onCreated },
  )
  if (!mayBuild) return null
  return (
    <div className="grid gap-2">
      <Button isBusy={create.isPending} onClick={() => create.mutate(userId)}>
        Create MCP key
      </Button>
      {create.error && <ErrorNote error={create.error} />}
    </div>
  )
}
