import type { Egress } from '../../platform/egress/egress.ts'
import { authorizationHeaders, type CallSecret } from '../upstream/http/authorization-headers.ts'
import { type Account, fetchAccount } from '../upstream/http/identity.ts'
import type { ServedConnector } from './mcp-servers/mcp-connector.ts'
import type { McpConnectors } from './mcp-servers/mcp-connectors.ts'

export type CheckedCredential =
  /** `keep`: stores the values learned by the check, once the credential is stored. */
  | ({ kind: 'account'; answer: unknown; keep?: () => Promise<void> } & Account)
  | { kind: 'rejected' }
  | { kind: 'unavailable' }

type Deps = { egress: Egress; mcpConnectors: McpConnectors }

/** Validates a credential with a live request, and returns its account. */
export const checkCredential = async (
  deps: Deps,
  organizationId: string,
  connector: ServedConnector,
  secret: CallSecret,
): Promise<CheckedCredential> => {
  if (!connector.mcp)
    return fetchAccount({ egress: deps.egress.onBehalfOf(organizationId) }, connector, secret)
  const headers = authorizationHeaders(connector, secret, connector.mcp.url)
  const inspection = await deps.mcpConnectors.inspect(organizationId, connector, headers)
  if (inspection.kind !== 'ready')
    return { kind: inspection.kind === 'unauthorized' ? 'rejected' : 'unavailable' }
  return { kind: 'account', account: null, accountId: null, answer: null, keep: inspection.keep }
}
