import { Refusal } from '../../../core/refusal.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { listCredentials, type ReadDeps } from '../../credentials/read-credentials.ts'
import type { MintLinkToken } from '../../link/sessions/mint-link-token.ts'
import { type Caller, callerStore } from '../admission/caller-store.ts'
import { RENEW_CONNECTION } from '../listing/renew-connection-tool.ts'
import { authenticateResult, type ToolResult } from '../results/tool-result.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import { connectorTarget, describeLink } from './offer-link.ts'
import { type RecordedRequest, recordOwnCall } from './record-own-call.ts'

type Deps = ReadDeps & { connectors: Connectors; mintLinkToken: MintLinkToken }
type RenewalCall = Caller & RecordedRequest & { args: Record<string, unknown> }

/**
 * The tool `renew_connection`: a link with which the calling user connects an account of their own again. Recorded but not counted. Without the
 * pack's setting, the tool does not exist.
 */
export const renewConnection = async (deps: Deps, call: RenewalCall): Promise<ToolResult> => {
  const caller = requireActiveCaller(await callerStore.find(deps.db, call))
  if (!caller.packRenewalNotices) throw new Refusal('tool_not_found', { param: 'name' })
  const { slug, account } = readArguments(call.args)
  const { organizationId, mode, userId } = caller
  const accounts = await listCredentials(deps, { organizationId, mode, registeredUserId: userId })
  const credential = accounts.find(
    found => found.connector_slug === slug && found.status !== 'revoked' && found.credential_id === account,
  )
  const connector = credential && (await deps.connectors.find(organizationId, slug))
  if (!connector)
    throw new Refusal('invalid_arguments', {
      param: 'account',
      message: 'The user has no such account. Use the connector and the account of a notice.',
    })
  const target = { ...connectorTarget(caller, slug), credentialId: credential.credential_id }
  const token = await deps.mintLinkToken({ organizationId, mode }, userId, target)
  await recordOwnCall(deps.db, caller, call, { tool: RENEW_CONNECTION })
  const isExpired = credential.health.state === 'needs_reauth'
  return authenticateResult(describeLink(connector, token, isExpired ? 'expired' : 'expiring'))
}

const MAX_ARGUMENT_LENGTH = 128

const readArguments = ({ connector, account, ...others }: Record<string, unknown>) => {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, MAX_ARGUMENT_LENGTH), 'is not an argument of this tool')
  return { slug: readText('connector', connector), account: readText('account', account) }
}

const readText = (name: string, value: unknown): string => {
  if (typeof value !== 'string' || value === '' || value.length > MAX_ARGUMENT_LENGTH)
    throw invalid(name, 'must be taken from a notice')
  return value
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })
