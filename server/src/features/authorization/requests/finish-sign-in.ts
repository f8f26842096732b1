import type { SignInRejection } from '@carabiner/contract'
import { hashSecret } from '../../../core/hash-secret.ts'
import type { Mode } from '../../../core/mode.ts'
import { createUser, findUserId } from '../../registered-users/save-user.ts'
import type { Identity } from '../settings/identity-claims.ts'
import { IdentityError } from '../settings/identity-error.ts'
import { readIdentity } from '../settings/identity-provider.ts'
import { openProvider } from '../settings/save-settings.ts'
import { type StoredSettings, settingsStore } from '../settings/settings-store.ts'
import { providerRedirectUri } from '../settings/sign-in-addresses.ts'
import { readOnce } from './authorization-request.ts'
import type { SignInDeps } from './begin-sign-in.ts'
import { rejectSignIn } from './reject-sign-in.ts'
import { type RequestKey, requestStore } from './request-store.ts'
import { providerSecrets, readProviderState } from './sign-in-secrets.ts'

export type FinishedSignIn =
  /** The page of the request asks for consent, or says why the person cannot sign in. */
  { kind: 'returned'; key: RequestKey } | { kind: 'invalid' } | { kind: 'other_browser' }

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
  const rejection = await identify(deps, settings, key, parameters)
  if (rejection) await rejectSignIn(deps, request, settings, rejection)
  return { kind: 'returned', key }
}

/** Stores the user in the request. Returns why the person cannot sign in, or null. */
const identify = async (
  deps: SignInDeps,
  settings: StoredSettings,
  key: RequestKey,
  parameters: URLSearchParams,
): Promise<SignInRejection | IdentityError | null> => {
  const { organizationId, mode } = settings
  const provider = await openProvider(deps.vault, settings)
  // Users sign in in the application since this request began.
  if (!provider) return 'provider_failed'
  const redirectUri = providerRedirectUri(deps.baseUrl, organizationId, mode)
  const secrets = { ...providerSecrets(deps.signer, key), redirectUri }
  try {
    const identity = await readIdentity(deps, provider, secrets, parameters)
    const userId = await findOrCreateUser(deps, settings, identity)
    if (userId === null) return 'user_not_found'
    return (await requestStore.identify(deps.db, key, userId)) ? null : 'user_inactive'
  } catch (error) {
    if (error instanceof IdentityError) return error
    throw error
  }
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
