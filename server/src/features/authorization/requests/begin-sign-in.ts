import { MINUTE, SECOND } from '../../../core/duration.ts'
import { isServed } from '../../../core/organization-state.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Log } from '../../../platform/log.ts'
import type { Signer, Vault } from '../../../platform/vault/vault.ts'
import { hashSecret } from '../../link/sessions/hash-secret.ts'
import { findClient } from '../clients/find-client.ts'
import { matchesRedirectUri, withResponse } from '../clients/redirect-uri.ts'
import { providerAddress } from '../settings/identity-provider.ts'
import { openProvider } from '../settings/save-settings.ts'
import { settingsStore } from '../settings/settings-store.ts'
import { issuerOf, providerRedirectUri } from '../settings/sign-in-addresses.ts'
import {
  type AuthorizationErrorCode,
  readAuthorizationRequest,
  readOnce,
  readState,
} from './authorization-request.ts'
import { type NewRequest, requestStore } from './request-store.ts'
import { providerSecrets } from './sign-in-secrets.ts'

export type SignInDeps = {
  db: Database
  vault: Vault
  egress: Egress
  signer: Signer
  log: Log
  baseUrl: string
}

/** Time to sign in and to read the consent page. */
const REQUEST_LIFETIME_MS = 15 * MINUTE

/** `invalid`: the client or its redirect URI is unknown, so the browser must not be sent there. */
export type BegunSignIn =
  | { kind: 'redirect'; href: string }
  | { kind: 'invalid'; why: 'client' | 'redirect_uri' }

/** RFC 6749 §4.1.1: stores the request of a client and returns the address where the person signs in. */
export const beginSignIn = async (
  deps: SignInDeps,
  organizationId: string,
  parameters: URLSearchParams,
  browser: string,
): Promise<BegunSignIn> => {
  const client = await findClient(deps, organizationId, readOnce(parameters, 'client_id') ?? '')
  if (!client) return { kind: 'invalid', why: 'client' }
  const redirectUri = readOnce(parameters, 'redirect_uri')
  if (redirectUri === null || !client.redirectUris.some(uri => matchesRedirectUri(uri, redirectUri)))
    return { kind: 'invalid', why: 'redirect_uri' }
  const refuse = (error: AuthorizationErrorCode): BegunSignIn => ({
    kind: 'redirect',
    href: errorAddress(deps.baseUrl, { organizationId, redirectUri, state: readState(parameters) }, error),
  })
  const asked = readAuthorizationRequest(parameters, { baseUrl: deps.baseUrl, organizationId })
  if (typeof asked === 'string') return refuse(asked)
  const target = await requestStore.findTarget(deps.db, asked.pack)
  if (target?.organizationId !== organizationId || !isServed(target.organizationState))
    return refuse('invalid_target')
  const request: NewRequest = {
    organizationId,
    id: newUuid(),
    mode: asked.pack.mode,
    toolPackId: asked.pack.toolPackId,
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    state: asked.state,
    codeChallenge: asked.codeChallenge,
    browserHash: hashSecret(browser),
  }
  const href = await signInAddress(deps, request)
  if (href === null) return refuse('temporarily_unavailable')
  await requestStore.insert(deps.db, request, REQUEST_LIFETIME_MS / SECOND)
  return { kind: 'redirect', href }
}

/** The identity provider, or the page of the application. Null if the provider cannot be reached. */
const signInAddress = async (
  { db, vault, egress, signer, log, baseUrl }: SignInDeps,
  { organizationId, id, mode }: NewRequest,
): Promise<string | null> => {
  const settings = await settingsStore.find(db, { organizationId, mode })
  if (!settings) return null
  if (settings.signInUrl !== null) return withResponse(settings.signInUrl, { request: id })
  const provider = await openProvider(vault, settings)
  if (!provider) return null
  const redirectUri = providerRedirectUri(baseUrl, organizationId, mode)
  const secrets = providerSecrets(signer, { organizationId, id })
  return providerAddress(egress.onBehalfOf(organizationId), provider, { ...secrets, redirectUri }).catch(
    (error: unknown) => {
      log.warn({ error, organization_id: organizationId }, 'the identity provider cannot be used')
      return null
    },
  )
}

type Response = { organizationId: string; redirectUri: string; state: string | null }

/** RFC 9207: `iss` lets the client recognize a response of another server. */
export const errorAddress = (
  baseUrl: string,
  { organizationId, redirectUri, state }: Response,
  error: AuthorizationErrorCode,
): string => withResponse(redirectUri, { error, state, iss: issuerOf(baseUrl, organizationId) })

export const codeAddress = (
  baseUrl: string,
  { organizationId, redirectUri, state }: Response,
  code: string,
): string => withResponse(redirectUri, { code, state, iss: issuerOf(baseUrl, organizationId) })
