import type { SignIn, SignInWrite } from '@carabiner/contract'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import { Refusal } from '../../../core/refusal.ts'
import { Secret } from '../../../core/secret.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { type SealContext, seal, unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { isScope } from '../../oauth/discovery.ts'
import { isClaimOfPerson } from './identity-claims.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { discoverProvider } from './provider-discovery.ts'
import { type NewSettings, type SettingsOwner, type StoredSettings, settingsStore } from './settings-store.ts'
import { issuerOf, providerRedirectUri } from './sign-in-addresses.ts'

type Deps = { db: Database; vault: Vault; egress: Egress }

const DEFAULT_SCOPES = ['profile', 'email']
const DEFAULT_USER_CLAIM = 'sub'

const contextOf = (organizationId: string, id: string): SealContext => [
  'identity-provider',
  organizationId,
  id,
]

/**
 * Replaces the settings of a mode. `forApprovals`: whether whoever saves them may loosen policies. Until such a person saves them, a changed provider
 * identifies nobody who decides about calls. The metadata of the provider is read first, so that a typo is reported here.
 */
export const saveSettings = async (
  { db, vault, egress }: Deps,
  owner: SettingsOwner,
  body: SignInWrite,
  { forApprovals }: Pick<StoredSettings, 'forApprovals'>,
): Promise<StoredSettings> => {
  const { identity_provider: provider, sign_in_url: signInUrl, create_users, tool_pack_ids } = body
  if ((provider === undefined) === (signInUrl === undefined))
    throw new Refusal('invalid_request', {
      param: 'identity_provider',
      message: 'Give exactly one of "identity_provider" and "sign_in_url".',
    })
  if (provider) await requireProvider(egress, provider)
  if (signInUrl !== undefined) requireWebUrl(signInUrl, 'sign_in_url')
  const toolPackIds = tool_pack_ids ? await requirePacks(db, owner, tool_pack_ids) : null
  const id = newUuid()
  const secret = provider && (await secretOf({ db, vault }, owner, provider))
  const settings: NewSettings = {
    id,
    issuer: provider?.issuer ?? null,
    clientId: provider?.client_id ?? null,
    sealedSecret: secret
      ? seal(
          await vault.organizationKey(owner.organizationId),
          secret.reveal(),
          contextOf(owner.organizationId, id),
        )
      : null,
    scopes: provider?.scopes ?? DEFAULT_SCOPES,
    userClaim: provider?.user_claim ?? DEFAULT_USER_CLAIM,
    trustEmail: provider?.trust_email ?? false,
    createUsers: create_users ?? false,
    acceptAssertions: provider?.accept_assertions ?? false,
    forApprovals: forApprovals && provider !== undefined,
    signInUrl: signInUrl ?? null,
    toolPackIds,
  }
  return settingsStore.save(db, owner, settings)
}

type GivenProvider = NonNullable<SignInWrite['identity_provider']>

/** A stored secret is kept only for the same client at the same issuer, so that it is never sent to another one. */
const secretOf = async (
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  owner: SettingsOwner,
  { issuer, client_id: clientId, client_secret: given }: GivenProvider,
): Promise<Secret | null> => {
  if (given !== undefined) return given === null ? null : new Secret(given)
  const stored = await settingsStore.find(db, owner)
  if (stored?.issuer !== issuer || stored.clientId !== clientId || !stored.sealedSecret) return null
  return openSecret(vault, owner.organizationId, stored.id, stored.sealedSecret)
}

const requireProvider = async (
  egress: Egress,
  { issuer, scopes = [], user_claim: userClaim = DEFAULT_USER_CLAIM }: GivenProvider,
): Promise<void> => {
  requireWebUrl(issuer, 'identity_provider.issuer')
  if (!isClaimOfPerson(userClaim))
    throw new Refusal('invalid_request', {
      param: 'identity_provider.user_claim',
      message: `"${userClaim}" does not identify a person. Choose a claim such as "sub", "email" or "oid".`,
    })
  const malformed = scopes.findIndex(scope => !isScope(scope))
  if (malformed >= 0)
    throw new Refusal('invalid_request', {
      param: `identity_provider.scopes.${malformed}`,
      message: 'A scope can contain only visible ASCII characters other than quotes and backslashes.',
    })
  try {
    await discoverProvider(egress, issuer)
  } catch (cause) {
    throw new Refusal('invalid_identity_provider', { param: 'identity_provider.issuer', cause })
  }
}

const requireWebUrl = (text: string, param: string): void => {
  const url = /^https?:\/\/[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null
  const isPlain = url?.protocol === 'http:' && !isLoopbackHost(url.hostname)
  if (!url || isPlain || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Refusal('invalid_request', {
      param,
      message: `"${param}" must be an https URL without user information or fragment. http is allowed on loopback only.`,
    })
}

const requirePacks = async (
  db: Database,
  { organizationId }: SettingsOwner,
  ids: string[],
): Promise<string[]> => {
  const known = await settingsStore.packs(db, organizationId, ids.filter(isUuid))
  const missing = ids.findIndex(id => !known.includes(id.toLowerCase()))
  if (missing >= 0) throw new Refusal('tool_pack_not_found', { param: `tool_pack_ids.${missing}` })
  return known
}

/** Null if users sign in in the application. */
/** The provider at which users sign in to decide about calls. Null: there is none, or somebody has chosen it who may not loosen policies. */
export const findApprovalProvider = async (
  { db, vault }: { db: Queryable; vault: Vault },
  owner: SettingsOwner,
): Promise<IdentityProvider | null> => {
  const settings = await settingsStore.find(db, owner)
  return settings?.forApprovals ? openProvider(vault, settings) : null
}

export const openProvider = async (
  vault: Vault,
  settings: StoredSettings,
): Promise<IdentityProvider | null> => {
  const { organizationId, id, issuer, clientId, sealedSecret, scopes, userClaim, trustEmail } = settings
  if (issuer === null || clientId === null) return null
  const clientSecret = sealedSecret && (await openSecret(vault, organizationId, id, sealedSecret))
  return { organizationId, issuer, clientId, clientSecret, scopes, userClaim, trustEmail }
}

const openSecret = async (
  vault: Vault,
  organizationId: string,
  id: string,
  sealed: Buffer,
): Promise<Secret> => {
  const key = await vault.organizationKeyOf(organizationId, sealed)
  return new Secret(unseal(key, sealed, contextOf(organizationId, id)).toString('utf8'))
}

/** `settings`: null if sign-in is not configured. The redirect URI is the same, so that it can be registered first. */
export const showSettings = (
  baseUrl: string,
  { organizationId, mode }: SettingsOwner,
  settings: StoredSettings | null,
): SignIn => ({
  mode,
  identity_provider: settings && showProvider(settings),
  sign_in_url: settings?.signInUrl ?? null,
  create_users: settings?.createUsers ?? false,
  tool_pack_ids: settings?.toolPackIds ?? null,
  for_approvals: settings?.forApprovals ?? false,
  redirect_uri: providerRedirectUri(baseUrl, organizationId, mode),
  issuer: issuerOf(baseUrl, organizationId),
  updated_at: settings?.updatedAt.toISOString() ?? null,
})

const showProvider = (settings: StoredSettings): SignIn['identity_provider'] =>
  settings.issuer === null || settings.clientId === null
    ? null
    : {
        issuer: settings.issuer,
        client_id: settings.clientId,
        has_client_secret: settings.sealedSecret !== null,
        scopes: settings.scopes,
        user_claim: settings.userClaim,
        trust_email: settings.trustEmail,
        accept_assertions: settings.acceptAssertions,
      }
