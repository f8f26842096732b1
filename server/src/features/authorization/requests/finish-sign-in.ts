import type { Mode } from '../../../core/mode.ts'
import { hashSecret } from '../../link/sessions/hash-secret.ts'
import { createUser, findUserId } from '../../registered-users/save-user.ts'
import { type Identity, IdentityError, readIdentity } from '../settings/identity-provider.ts'
import { openProvider } from '../settings/save-settings.ts'
import { type StoredSettings, settingsStore } from '../settings/settings-store.ts'
import { providerRedirectUri } from '../settings/sign-in-addresses.ts'
import { readOnce } from './authorization-request.ts'
import { errorAddress, type SignInDeps } from './begin-sign-in.ts'
import { type RequestKey, requestStore, type StoredRequest } from './request-store.ts'
import { providerSecrets, readProviderState } from './sign-in-secrets.ts'

export type FinishedSignIn =
  /** The person is known and now decides. */
  | { kind: 'identified'; key: RequestKey }
  | { kind: 'redirect'; href: string }
  | { kind: 'invalid' }
  | { kind: 'other_browser' }
  /** The person has no Registered User, or an inactive one. */
  | { kind: 'not_allowed'; request: StoredRequest }

type Returned = { organizationId: string; mode: Mode; parameters: URLSearchParams; browser: string | null }

/** The identity provider has sent the browser back. */
export const finishSignIn = async (deps: SignInDeps, returned: Returned): Promise<FinishedSignIn> => {
  const { organizationId, mode, parameters, browser } = returned
  const key = readProviderState(deps.signer, readOnce(parameters, 'state') ?? '')
  const request = key?.organizationId === organizationId ? await requestStore.find(deps.db, key) : null
  if (!key || !request || request.mode !== mode) return { kind: 'invalid' }
  const browserHash = browser === null ? null : hashSecret(browser)
  if (!browserHash?.equals(request.browserHash)) return { kind: 'other_browser' }
  const settings = await settingsStore.find(deps.db, { organizationId, mode })
  if (!settings || !(await requestStore.markReturned(deps.db, key, mode, browserHash)))
    return { kind: 'invalid' }
  try {
    const identity = await identify(deps, settings, key, parameters)
    const userId = identity && (await findOrCreateUser(deps, settings, identity))
    const isIdentified = userId !== null && (await requestStore.identify(deps.db, key, userId))
    return isIdentified ? { kind: 'identified', key } : { kind: 'not_allowed', request }
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error
    if (error.failure === 'claim_missing') return { kind: 'not_allowed', request }
    deps.log.info({ error, organization_id: organizationId }, 'a sign-in at the identity provider has failed')
    await requestStore.drop(deps.db, key)
    const code = error.failure === 'denied' ? 'access_denied' : 'server_error'
    return { kind: 'redirect', href: errorAddress(deps.baseUrl, request, code) }
  }
}

const identify = async (
  { vault, egress, signer, baseUrl }: SignInDeps,
  settings: StoredSettings,
  key: RequestKey,
  parameters: URLSearchParams,
): Promise<Identity | null> => {
  const { organizationId, mode } = settings
  const provider = await openProvider(vault, settings)
  const redirectUri = providerRedirectUri(baseUrl, organizationId, mode)
  const secrets = { ...providerSecrets(signer, key), redirectUri }
  return provider && readIdentity(egress.onBehalfOf(organizationId), provider, secrets, parameters)
}

/** An existing user is not changed: the application may know other names than the identity provider. */
export const findOrCreateUser = async (
  deps: Pick<SignInDeps, 'db' | 'vault'>,
  { organizationId, mode, createUsers }: Pick<StoredSettings, 'organizationId' | 'mode' | 'createUsers'>,
  { originUserId, name, email }: Identity,
): Promise<string | null> => {
  const owner = { organizationId, mode }
  const known = await findUserId(deps.db, owner, originUserId)
  if (known !== null || !createUsers) return known
  const { user } = await createUser(deps, owner, {
    origin_user_id: originUserId,
    ...(name !== null && { origin_user_name: name }),
    ...(email !== null && { email }),
  })
  return user.id
}
