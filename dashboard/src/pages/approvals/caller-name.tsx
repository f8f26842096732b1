import type { Approval } from '@carabiner/sdk'
import { useApiQuery } from '../../api/use-api-query.ts'
import { Revealed } from '../../ui/data/revealed.tsx'

const TYPES: Record<Approval['requested_by']['type'], string> = {
  api_key: 'API key',
  mcp_key: 'MCP key',
  client: 'Client',
}

type Props = { approval: Pick<Approval, 'requested_by' | 'registered_user_id'> }

/** The key or client that has made the call, by its name; by its ID if it no longer exists. */
export const CallerName = ({ approval: { requested_by: caller, registered_user_id: userId } }: Props) => {
  const name = useCallerName(caller, userId)
  return (
    <span title={caller.id}>
      {TYPES[caller.type]}{' '}
      {name === undefined ? (
        <code className="font-mono text-xs text-muted">
          <Revealed text={caller.type === 'client' ? caller.id : caller.id.slice(0, 8)} />
        </code>
      ) : (
        <>
          “<Revealed text={name} />”
        </>
      )}
    </span>
  )
}

const useCallerName = ({ type, id }: Approval['requested_by'], userId: string): string | undefined => {
  const keys = useApiQuery(['api-keys'], (api, options) => api.apiKeys.list(options), {
    mode: 'production',
    enabled: type === 'api_key',
  })
  const mcpKeys = useApiQuery(
    ['users', 'mcp-keys', userId],
    async (api, options) =>
      // A user has at most 20 valid keys.
      (await api.registeredUsers.mcpKeys.list(userId, { limit: 100 }, options).page()).data,
    { enabled: type === 'mcp_key' },
  )
  const grants = useApiQuery(
    ['users', 'clients', userId],
    async (api, options) =>
      (await api.registeredUsers.grants.list(userId, { limit: 100 }, options).page()).data,
    { enabled: type === 'client' },
  )
  if (type === 'client') return grants.data?.find(grant => grant.client_id === id)?.client_name
  if (type === 'mcp_key') return mcpKeys.data?.find(key => key.id === id)?.name
  return keys.data?.find(key => key.lineage === id)?.name
}
