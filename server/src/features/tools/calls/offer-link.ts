import {
  type AuthenticateMeta,
  type AuthenticateReason,
  type ConnectorFile,
  type LinkToken,
  oauthMethod,
} from '@carabiner/contract'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import { randomBase62 } from '../../../core/token.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { missingScopes, requiredScopes } from '../../connectors/link-scopes.ts'
import { parseCallbackUrl } from '../../link/sessions/callback-url.ts'
import { type LinkTarget, type MintLinkToken, requireMintable } from '../../link/sessions/mint-link-token.ts'
import { latestRequestedScopes } from '../../link/sessions/requested-scopes.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import type { AuthRequired } from '../steps/call/access.ts'

const REASONS: Record<AuthenticateReason, (name: string) => string> = {
  never_linked: name => `${name} is not connected yet.`,
  expired: name => `The connection to ${name} has expired.`,
  revoked: name => `The connection to ${name} was revoked.`,
  expiring: name => `The connection to ${name} ends soon.`,
  insufficient_scope: name => `The connection to ${name} does not allow this yet.`,
}

/** A call that needs an account of the user. */
type CallToLink = Pick<Admitted, 'admission' | 'callable'>

type Ask = CallToLink & {
  reason: AuthenticateReason
  /** The scopes that the account lacks. */
  missing: string[] | undefined
  /** The credential to reconnect; null if none exists. */
  credentialId: string | null
}

const askFor = (
  { admission, callable }: CallToLink,
  { reason, missingScopes: missing }: AuthRequired,
): Ask => ({ admission, callable, reason, missing, credentialId: reconnectable(admission) })

/** The credential that a new link reconnects. A revoked one no longer counts as an account of the user. */
export const reconnectable = ({ credential }: Pick<CallAdmission, 'credential'>): string | null =>
  credential && credential.status !== 'revoked' ? credential.id : null

/**
 * What a call answers if an account is missing: a link for it. As with every step, `decide` reads and both run it; `apply` creates the
 * link, and `foresee` throws what `apply` would throw.
 */
export const linkOffer = {
  decide: async (
    { db }: { db: Database },
    call: CallToLink,
    { reason, missingScopes: missing = [] }: AuthRequired,
  ): Promise<void> => {
    requireOwnAccount(call)
    if (reason === 'insufficient_scope') await refuseRepeatedScopes(db, call, missing)
  },
  apply: (
    { mintLinkToken }: { mintLinkToken: MintLinkToken },
    call: CallToLink,
    authRequired: AuthRequired,
  ): Promise<AuthenticateMeta> => authenticateMeta(mintLinkToken, askFor(call, authRequired)),
  foresee: async (
    deps: { db: Database; connectors: Connectors },
    call: CallToLink,
    authRequired: AuthRequired,
  ): Promise<void> => {
    const { admission } = call
    await requireMintable(deps, ownerOf(admission), admission.userId, linkTarget(askFor(call, authRequired)))
  },
}

/** Only its owner can reconnect a shared account, so its users get no link. */
const requireOwnAccount = ({ admission: { sharedBy, credential }, callable }: CallToLink): void => {
  if (sharedBy !== null)
    throw new Refusal('account_unavailable', {
      message: `The shared ${callable.connector.name} account “${credential?.label}” is not working. Its owner must reconnect it.`,
    })
}

/**
 * A link for more scopes is offered once. If the account was last connected by such a link and the same scopes are missing again,
 * another link would be refused in the same way.
 */
const refuseRepeatedScopes = async (
  db: Queryable,
  { admission: { organizationId, userId, credential }, callable }: CallToLink,
  missing: string[],
): Promise<void> => {
  const { slug, name } = callable.connector
  const requested = await latestRequestedScopes(db, {
    organizationId,
    registeredUserId: userId,
    connectorSlug: slug,
    credentialId: credential?.id ?? null,
  })
  if (!requested || !missing.every(scope => requested.includes(scope))) return
  const scopes = missing.length > 0 ? ` (${missing.join(', ')})` : ''
  throw new Refusal('third_party_forbidden', {
    message: `${name} did not grant the permissions that this tool needs${scopes}, although they were requested when the account was last connected. Check which permissions the account and its administrator allow. To be asked for them again, disconnect ${name} and connect it again.`,
    retryable: false,
  })
}

/** §2: instead of failing the call, the way to make it succeed. The link is locked to the connector that was missing. */
const authenticateMeta = async (mint: MintLinkToken, ask: Ask): Promise<AuthenticateMeta> => {
  const { admission, reason } = ask
  const { connector } = ask.callable
  const token = await mint(ownerOf(admission), admission.userId, linkTarget(ask)).catch((error: unknown) => {
    // The credential was revoked since the admission, so there is nothing to reconnect.
    if (!isRefusal(error, 'credential_not_found')) throw error
    return mint(ownerOf(admission), admission.userId, linkTarget({ ...ask, credentialId: null }))
  })
  return describeLink(connector, token, reason)
}

export const describeLink = (
  { slug, name }: Pick<ConnectorFile, 'slug' | 'name'>,
  token: LinkToken,
  reason: AuthenticateReason,
): AuthenticateMeta => ({
  type: 'authenticate_meta',
  Connector: slug,
  ...token,
  message: `${REASONS[reason](name)} To continue, please connect your ${name} account here: ${token.magic_link_url} (the link works once, for 30 minutes). Then ask again.`,
  reason,
})

const ownerOf = ({ organizationId, mode }: CallAdmission) => ({ organizationId, mode })

const linkTarget = ({ admission, callable, missing, credentialId }: Ask): LinkTarget => ({
  ...connectorTarget(admission, callable.connector.slug),
  credentialId,
  // The pack allows only an account with this label, so another account is added under it.
  ...(admission.fixedAccount !== null &&
    credentialId === null && { accountChoice: 'add', accountLabel: admission.fixedAccount }),
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
export const connectorTarget = (
  admission: Pick<CallAdmission, 'packId' | 'linkBinding' | 'runtimeCallbackUrl'>,
  connectorSlug: string,
): LinkTarget => {
  const target = { connectorSlug, toolPackId: admission.packId }
  if (admission.linkBinding !== 'code_only') return { ...target, callback: null, state: null }
  if (admission.runtimeCallbackUrl === null) {
    throw new Refusal('code_mode_required', {
      message:
        'This organization links in authorization code mode only. Set its runtime_callback_url, so that links minted at runtime have a way back.',
    })
  }
  return { ...target, callback: parseCallbackUrl(admission.runtimeCallbackUrl), state: randomBase62(32) }
}
