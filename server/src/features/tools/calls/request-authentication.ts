import {
  type AuthenticateMeta,
  type AuthenticateReason,
  type ConnectorFile,
  oauthMethod,
} from '@carabiner/contract'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import { randomBase62 } from '../../../core/token.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { missingScopes, requiredScopes } from '../../connectors/link-scopes.ts'
import { parseCallbackUrl } from '../../link/sessions/callback-url.ts'
import { type LinkTarget, type MintLinkToken, requireMintable } from '../../link/sessions/mint-link-token.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import type { FoundCaller, Known } from '../admission/caller-store.ts'

const REASONS: Record<AuthenticateReason, (name: string) => string> = {
  never_linked: name => `${name} is not connected yet.`,
  expired: name => `The connection to ${name} has expired.`,
  revoked: name => `The connection to ${name} was ended.`,
  insufficient_scope: name => `The connection to ${name} does not allow this yet.`,
}

type Ask = {
  caller: Known<FoundCaller>
  callable: CallableTool
  reason: AuthenticateReason
  /** The scopes that the account lacks. */
  missing?: string[] | undefined
  /** The credential to reconnect; null if none exists. */
  credentialId: string | null
  /** The label that the pack requires; null: any. */
  fixedAccount: string | null
}

/** The credential that a new link reconnects. A revoked one no longer counts as an account of the user. */
export const reconnectable = ({ credential }: Pick<CallAdmission, 'credential'>): string | null =>
  credential && credential.status !== 'revoked' ? credential.id : null

/** Only its owner can reconnect a shared account, so its users get no link. */
export const requireOwnAccount = (
  { sharedBy, credential }: Pick<CallAdmission, 'sharedBy' | 'credential'>,
  { name }: ConnectorFile,
): void => {
  if (sharedBy !== null)
    throw new Refusal('account_unavailable', {
      message: `The shared ${name} account “${credential?.label}” does not work at the moment. Its owner has to connect it again.`,
    })
}

/** §2: instead of failing the call, the way to make it succeed. The link is locked to the connector that was missing. */
export const authenticateMeta = async (mint: MintLinkToken, ask: Ask): Promise<AuthenticateMeta> => {
  const { caller, reason } = ask
  const { connector } = ask.callable
  const token = await mint(ownerOf(caller), caller.userId, linkTarget(ask)).catch((error: unknown) => {
    // The credential was revoked since the admission, so there is nothing to reconnect.
    if (!isRefusal(error, 'credential_not_found')) throw error
    return mint(ownerOf(caller), caller.userId, linkTarget({ ...ask, credentialId: null }))
  })
  return {
    type: 'authenticate_meta',
    Connector: connector.slug,
    ...token,
    message: `${REASONS[reason](connector.name)} To continue, please connect your ${connector.name} account here: ${token.magic_link_url} (the link works once, for 30 minutes). Then ask again.`,
    reason,
  }
}

/** Throws what `authenticateMeta` would throw, and creates nothing. */
export const requireAuthenticable = (
  deps: { db: Database; connectors: Connectors },
  ask: Ask,
): Promise<void> => requireMintable(deps, ownerOf(ask.caller), ask.caller.userId, linkTarget(ask))

const ownerOf = ({ organizationId, mode }: Known<FoundCaller>) => ({ organizationId, mode })

const linkTarget = ({ caller, callable, missing, credentialId, fixedAccount }: Ask): LinkTarget => ({
  ...connectorTarget(caller, callable.connector.slug),
  credentialId,
  // The pack allows only an account with this label, so another account is added under it.
  ...(fixedAccount !== null && credentialId === null && { accountChoice: 'add', accountLabel: fixedAccount }),
  ...scopesFor(callable, missing),
})

/** The link requests what the call needs. A tool without scopes of its own requests the scopes of the Tool Pack. */
const scopesFor = (callable: CallableTool, missing: string[] | undefined): Pick<LinkTarget, 'scopes'> => {
  if (missing) return { scopes: { reason: 'lacking', names: missing } }
  if (callable.kind !== 'http') return {}
  const required = requiredScopes(oauthMethod(callable.connector))
  return { scopes: { reason: 'called', names: missingScopes(callable.tool.scopes, required) } }
}

/** Under `code_only` nothing is stored without the application's word, so a link minted here goes through its callback. */
const connectorTarget = (caller: Known<FoundCaller>, connectorSlug: string): LinkTarget => {
  const target = { connectorSlug, toolPackId: caller.packId }
  if (caller.linkBinding !== 'code_only') return { ...target, callback: null, state: null }
  if (caller.runtimeCallbackUrl === null) {
    throw new Refusal('code_mode_required', {
      message:
        'This organization links in authorization code mode only. Set its runtime_callback_url, so that links minted at runtime have a way back.',
    })
  }
  return { ...target, callback: parseCallbackUrl(caller.runtimeCallbackUrl), state: randomBase62(32) }
}
