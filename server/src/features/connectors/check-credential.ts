import type { Egress } from '../../platform/egress/egress.ts'
import {
  authorizationHeaders,
  type CredentialSecret,
} from '../upstream/authorization-kinds/authorization-kinds.ts'
import { type Account, fetchAccount, type Rejection } from '../upstream/http/identity.ts'
import type { ServedConnector } from './mcp-servers/mcp-connector.ts'
import type { McpConnectors } from './mcp-servers/mcp-connectors.ts'

export type CheckedCredential =
  /** `keep`: stores the values learned by the check, once the credential is stored. */
  | ({ kind: 'account'; answer: unknown; endsAt: Date | null; keep?: () => Promise<void> } & Account)
  | Rejection
  | { kind: 'unavailable' }

export type CheckDeps = { egress: Egress; mcpConnectors: McpConnectors }

/** Validates a credential with a live request, and returns its account. */
export const checkCredential = async (
  deps: CheckDeps,
  organizationId: string,
  connector: ServedConnector,
  secret: CredentialSecret,
): Promise<CheckedCredential> => {
  if (!connector.mcp)
    return fetchAccount({ egress: deps.egress.onBehalfOf(organizationId) }, connector, secret)
  const headers = authorizationHeaders(connector, secret, connector.mcp.url)
  const inspection = await deps.mcpConnectors.inspect(organizationId, connector, headers)
  if (inspection.kind === 'unauthorized') return { kind: 'rejected', because: 'unauthorized' }
  if (inspection.kind !== 'ready') return { kind: 'unavailable' }
  return {
    kind: 'account',
    account: null,
    accountId: null,
    answer: null,
    endsAt: null,
    keep: inspection.keep,
  }
}
