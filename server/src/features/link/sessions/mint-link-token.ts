import type { LinkToken, LinkTokenRequest } from '@carabiner/contract'
import { LINK_TOKEN_TTL_MS } from '@carabiner/contract/operations'
import { parseAccountLabel } from '../../../core/account-label.ts'
import { SECOND } from '../../../core/duration.ts'
import type { Mode } from '../../../core/mode.ts'
import { isServed } from '../../../core/organization-state.ts'
import { isRefusal, Refusal, reword } from '../../../core/refusal.ts'
import { hashToken, issueToken, respellToken } from '../../../core/token.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import { coalesce } from '../../../platform/database/coalesce.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { Connectors, UsableConnector } from '../../connectors/availability.ts'
import type { OAuthApps } from '../../oauth/oauth-apps.ts'
import { type CallbackUrl, parseCallbackUrl } from './callback-url.ts'
import { magicLinkUrl } from './magic-link.ts'
import {
  type AccountChoice,
  type MintResult,
  mintSessionStore,
  type NewSession,
} from './mint-session-store.ts'
import { type MoreScopes, type NamedScopes, resolveScopes } from './resolve-scopes.ts'

export type LinkTarget = {
  connectorSlug: string | null
  toolPackId: string | null
  callback: CallbackUrl | null
  state: string | null
  /** Tools and scopes that the request names. Default: the tools of the Tool Pack. */
  named?: NamedScopes
  /** Scopes that a call needs. */
  scopes?: MoreScopes
  /** The credential to reconnect or to replace. */
  credentialId?: string | null
  /** Default: `ask`. */
  accountChoice?: AccountChoice
  /** The label of a new account. Default: its name. */
  accountLabel?: string | null
  /** The name under which the request sent the connector, for errors. */
  connectorParam?: ConnectorName | undefined
}

const CONNECTOR_NAMES = ['Connector', 'connector_slug', 'connector'] as const
type ConnectorName = (typeof CONNECTOR_NAMES)[number]
/** Counted in UTF-8. Percent-encoding makes the state at most three times as long in a redirect. */
const MAX_STATE_BYTES = 1024

/** The API accepts three names for the connector field; the rest of the code uses one. */
export const parseLinkTokenRequest = (body: LinkTokenRequest): LinkTarget => {
  const named = CONNECTOR_NAMES.filter(name => body[name] !== undefined)
  const conflicting = named.find(name => body[name] !== body[named[0] as ConnectorName])
  if (conflicting) throw new Refusal('conflicting_connector', { param: conflicting })
  if (body.state !== undefined && body.callback_url === undefined)
    throw new Refusal('state_without_callback_url', { param: 'state' })
  if (Buffer.byteLength(body.state ?? '') > MAX_STATE_BYTES)
    throw new Refusal('invalid_request', {
      param: 'state',
      message: `"state" must be at most ${MAX_STATE_BYTES} bytes long.`,
    })
  if (body.tool_pack_id !== undefined && !isUuid(body.tool_pack_id))
    throw new Refusal('tool_pack_not_found', { param: 'tool_pack_id' })
  return {
    ...parseAccount(body, named.length > 0),
    ...parseNamedScopes(body, named.length > 0),
    connectorSlug: (named[0] && body[named[0]]) ?? null,
    connectorParam: named[0],
    toolPackId: body.tool_pack_id ?? null,
    callback: body.callback_url === undefined ? null : parseCallbackUrl(body.callback_url),
    state: body.state ?? null,
  }
}

/** A credential is replaced by an account of its own connector, so a request that names one also names the connector. */
const parseAccount = (
  { account: accountChoice, credential_id: credentialId, account_label: label }: LinkTokenRequest,
  namesConnector: boolean,
): Pick<LinkTarget, 'credentialId' | 'accountChoice' | 'accountLabel'> => {
  const invalid = (param: string, message: string): never => {
    throw new Refusal('invalid_request', { param, message })
  }
  if (accountChoice === 'replace' && credentialId === undefined)
    invalid('credential_id', '"credential_id" is required to replace an account.')
  if (accountChoice === 'add' && credentialId !== undefined)
    invalid('credential_id', '"credential_id" cannot be combined with "account": "add".')
  if (credentialId !== undefined && !namesConnector)
    invalid('connector_slug', '"connector_slug" is required with "credential_id".')
  if (credentialId !== undefined && !isUuid(credentialId))
    throw new Refusal('credential_not_found', { param: 'credential_id' })
  return {
    ...(credentialId !== undefined && { credentialId }),
    ...(accountChoice && { accountChoice }),
    ...(label !== undefined && { accountLabel: parseAccountLabel(label, 'account_label') }),
  }
}

/** Scopes are those of one connector. */
const parseNamedScopes = (
  { tools, scopes }: LinkTokenRequest,
  namesConnector: boolean,
): Pick<LinkTarget, 'named'> => {
  if (tools === undefined && scopes === undefined) return {}
  if (!namesConnector)
    throw new Refusal('invalid_request', {
      param: 'connector_slug',
      message: `"connector_slug" is required with "${tools ? 'tools' : 'scopes'}".`,
    })
  return { named: { tools: tools ?? [], scopes: scopes ?? [] } }
}

type Owner = { organizationId: string; mode: Mode }
type Deps = { db: Database; signer: Signer; connectors: Connectors; apps: OAuthApps; baseUrl: string }

export type MintLinkToken = (owner: Owner, registeredUserId: string, target: LinkTarget) => Promise<LinkToken>

/** §4.1: issues one link token and one magic link for one session; completing either uses up both. */
export const createMintLinkToken = ({ db, signer, connectors, apps, baseUrl }: Deps): MintLinkToken => {
  const insert = coalesce((rows: NewSession[]) => mintSessionStore.mint(db, rows, LINK_TOKEN_TTL_MS / SECOND))

  const mint: MintLinkToken = async (owner, registeredUserId, target) => {
    const connector = await requireLinkable(connectors, owner, registeredUserId, target)
    const { named } = target
    const resolved = connector && named && (await resolveScopes({ db, apps }, owner, connector, named))
    const linkToken = issueToken('linkToken', owner.organizationId)
    const magicLink = respellToken(linkToken, 'linkToken', 'magicLink')
    const result = await insert(
      sessionOf(owner, registeredUserId, { ...target, ...resolved }, hashToken(linkToken)),
    )
    const expiresAt = result.expiresAt ?? rejectMint(result)
    return {
      link_token: linkToken,
      expires_at: expiresAt.toISOString(),
      magic_link_url: magicLinkUrl(baseUrl, signer, magicLink, expiresAt),
    }
  }
  return (owner, registeredUserId, target) =>
    mint(owner, registeredUserId, target).catch(nameConnectorField(target))
}

/** An error about the connector names the field that was sent. */
const nameConnectorField =
  ({ connectorParam }: LinkTarget) =>
  (error: unknown): never => {
    throw connectorParam && isRefusal(error) && error.param === 'connector_slug'
      ? reword(error, error.message, { param: connectorParam })
      : error
  }

/** Throws what minting a link token would throw, and creates nothing. */
export const requireMintable = async (
  { db, connectors }: Pick<Deps, 'db' | 'connectors'>,
  owner: Owner,
  registeredUserId: string,
  target: LinkTarget,
): Promise<void> => {
  await requireLinkable(connectors, owner, registeredUserId, target)
  const session = sessionOf(owner, registeredUserId, target, Buffer.alloc(0))
  const result = await mintSessionStore.check(db, session, LINK_TOKEN_TTL_MS / SECOND)
  if (!result) throw new Refusal('registered_user_not_found')
  if (!result.expiresAt) rejectMint(result)
}

const requireLinkable = async (
  connectors: Connectors,
  { organizationId }: Owner,
  registeredUserId: string,
  { connectorSlug }: LinkTarget,
): Promise<UsableConnector | null> => {
  if (!isUuid(registeredUserId)) throw new Refusal('registered_user_not_found')
  if (connectorSlug === null) return null
  const connector =
    connectors.findForAll(connectorSlug) ?? (await connectors.require(organizationId, connectorSlug))
  if (connector.needsNoLink) throw new Refusal('connector_needs_no_link', { param: 'connector_slug' })
  return connector
}

const sessionOf = (
  { organizationId, mode }: Owner,
  registeredUserId: string,
  { toolPackId, connectorSlug, callback, state, ...target }: LinkTarget,
  secretHash: Buffer,
): NewSession => ({
  organizationId,
  mode,
  registeredUserId,
  toolPackId,
  connectorSlug,
  callbackUrl: callback?.href ?? null,
  callbackOrigin: callback?.origin ?? null,
  state,
  moreScopes: target.scopes?.names.join(' ') ?? null,
  scopesReason: target.scopes?.reason ?? null,
  tools: target.named?.tools.join(' ') ?? null,
  credentialId: target.credentialId ?? null,
  accountChoice: target.accountChoice ?? 'ask',
  accountLabel: target.accountLabel ?? null,
  sessionId: newUuid(),
  secretHash,
})

const rejectMint = (result: MintResult): never => {
  if (!isServed(result.organizationState) || result.userActive === null)
    throw new Refusal('registered_user_not_found')
  if (!result.userActive) throw new Refusal('user_inactive')
  if (result.toolPackId === null) throw new Refusal('tool_pack_not_found', { param: 'tool_pack_id' })
  if (!result.inPack) throw new Refusal('connector_not_in_tool_pack', { param: 'connector_slug' })
  if (result.missingTool !== null)
    throw new Refusal('tool_not_in_tool_pack', {
      param: 'tools',
      message: `The Tool Pack does not offer the tool "${result.missingTool}".`,
    })
  if (!result.credentialFound) throw new Refusal('credential_not_found', { param: 'credential_id' })
  if (!result.originListed) throw new Refusal('unauthorized_origin', { param: 'callback_url' })
  throw new Refusal('code_mode_required', { param: 'state' })
}
