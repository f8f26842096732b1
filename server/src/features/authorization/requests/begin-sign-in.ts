import { MINUTE, SECOND } from '../../../core/duration.ts'
import { hashSecret } from '../../../core/hash-secret.ts'
import { isServed } from '../../../core/organization-state.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Log } from '../../../platform/log.ts'
import type { Signer, Vault } from '../../../platform/vault/vault.ts'
import type { ClientDocuments } from '../clients/client-documents.ts'
import { findClient } from '../clients/find-client.ts'
import type { OAuthClient } from '../clients/oauth-client.ts'
import { matchesRedirectUri, withResponse } from '../clients/redirect-uri.ts'
import { readRegisteredClient } from '../clients/registered-client.ts'
import { IdentityError } from '../settings/identity-error.ts'
import { providerAddress } from '../settings/identity-provider.ts'
import type { ProviderDiscovery } from '../settings/provider-discovery.ts'
import { openProvider } from '../settings/save-settings.ts'
import { type StoredSettings, settingsStore } from '../settings/settings-store.ts'
import { providerRedirectUri } from '../settings/sign-in-addresses.ts'
import {
  AMBIGUOUS_RESOURCE,
  type AuthorizationError,
  type AuthorizationRequest,
  readAuthorizationRequest,
  readOnce,
  readState,
  UNKNOWN_RESOURCE,
} from './authorization-request.ts'
import { rejectSignIn } from './reject-sign-in.ts'
import { type NewRequest, type RequestKey, requestStore, type Target } from './request-store.ts'
import { errorAddress } from './response-address.ts'
import { networkHash, providerSecrets } from './sign-in-secrets.ts'

export type SignInDeps = {
  db: Database
  vault: Vault
  egress: Egress
  signer: Signer
  log: Log
  baseUrl: string
  clientDocuments: ClientDocuments
  discoverProvider: ProviderDiscovery
}

/** Time to sign in and to read the consent page. */
const REQUEST_LIFETIME_MS = 15 * MINUTE
/** Of one network in one organization: an office of people who sign in at the same time. Concurrent requests may exceed it slightly. */
const MAX_OPEN_REQUESTS = 100

/** The client of a request that cannot be continued: its name, and the address that tells it why. */
export type WayBack = { client: OAuthClient; redirectUri: string; href: string }

export type BegunSignIn =
  | { kind: 'redirect'; href: string }
  /** The provider cannot be used; the page of the request says so. */
  | { kind: 'rejected'; key: RequestKey }
  /** Sign-in is not turned on. */
  | { kind: 'off' }
  /** Too many open requests, or fetches of client documents, of this network. */
  | { kind: 'busy' }
  /**
   * RFC 9700 §4.11.2: the browser is not sent to a client before the person has interacted. `back`: null if the client or its redirect URI is
   * unknown.
   */
  | { kind: 'invalid'; why: string; back: WayBack | null }

type Beginning = { organizationId: string; parameters: URLSearchParams; browser: string; network: string }

/**
 * RFC 6749 §4.1.1: stores the request of a client and returns the address where the person signs in. Everything that can be checked without
 * an outbound request is checked first, because anyone can send a request.
 */
export const beginSignIn = async (deps: SignInDeps, beginning: Beginning): Promise<BegunSignIn> => {
  const { organizationId, parameters, browser, network } = beginning
  if (!(await settingsStore.isOn(deps.db, organizationId))) return { kind: 'off' }
  const asked = readAuthorizationRequest(parameters, { baseUrl: deps.baseUrl, organizationId })
  if ('code' in asked) return refuse(deps, beginning, asked)
  const target = await findTarget(deps.db, organizationId, asked)
  if (!target) return refuse(deps, beginning, asked.pack === null ? AMBIGUOUS_RESOURCE : UNKNOWN_RESOURCE)
  const client = await findClient(deps, beginning, readOnce(parameters, 'client_id') ?? '')
  if (client === 'busy') return { kind: 'busy' }
  if (!client) return { kind: 'invalid', why: 'client', back: null }
  const redirectUri = redirectUriOf(client, parameters)
  if (redirectUri === null) return { kind: 'invalid', why: 'redirect_uri', back: null }
  const request: NewRequest = {
    organizationId,
    id: newUuid(),
    mode: target.mode,
    toolPackId: target.toolPackId,
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    state: asked.state,
    codeChallenge: asked.codeChallenge,
    browserHash: hashSecret(browser),
    networkHash: networkHash(deps.signer, organizationId, network),
  }
  const limits = { lifetimeSeconds: REQUEST_LIFETIME_MS / SECOND, maxOpen: MAX_OPEN_REQUESTS }
  if (!(await requestStore.insert(deps.db, request, limits))) return { kind: 'busy' }
  return openSignIn(deps, request)
}

/** Without a resource, the organization must have exactly one address that allows sign-in. */
const findTarget = async (
  db: Database,
  organizationId: string,
  { pack }: AuthorizationRequest,
): Promise<Target | null> => {
  const target = pack
    ? await requestStore.findTarget(db, pack)
    : await requestStore.findOnlyTarget(db, organizationId)
  return target?.organizationId === organizationId && isServed(target.organizationState) ? target : null
}

const redirectUriOf = ({ redirectUris }: OAuthClient, parameters: URLSearchParams): string | null => {
  const requested = readOnce(parameters, 'redirect_uri')
  return requested !== null && redirectUris.some(uri => matchesRedirectUri(uri, requested)) ? requested : null
}

/** A client whose document would have to be fetched is not told. */
const refuse = (
  { signer, baseUrl }: SignInDeps,
  { organizationId, parameters }: Beginning,
  error: AuthorizationError,
): BegunSignIn => {
  const client = readRegisteredClient(signer, organizationId, readOnce(parameters, 'client_id') ?? '')
  const redirectUri = client && redirectUriOf(client, parameters)
  const response = redirectUri !== null && { organizationId, redirectUri, state: readState(parameters) }
  return {
    kind: 'invalid',
    why: `${error.code}: ${error.description}`,
    back: client && response ? { client, ...response, href: errorAddress(baseUrl, response, error) } : null,
  }
}

/** The identity provider, or the page of the application. */
const openSignIn = async (deps: SignInDeps, request: NewRequest): Promise<BegunSignIn> => {
  const settings = await settingsStore.find(deps.db, request)
  // Sign-in was turned off meanwhile.
  if (!settings) return { kind: 'off' }
  if (settings.signInUrl !== null)
    return { kind: 'redirect', href: withResponse(settings.signInUrl, { request: request.id }) }
  try {
    return { kind: 'redirect', href: await providerAddressOf(deps, request, settings) }
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error
    await rejectSignIn(deps, request, settings, error)
    return { kind: 'rejected', key: request }
  }
}

const providerAddressOf = async (
  deps: SignInDeps,
  { organizationId, id, mode }: NewRequest,
  settings: StoredSettings,
): Promise<string> => {
  const provider = await openProvider(deps.vault, settings)
  if (!provider) throw new Error('the settings have neither a provider nor a page of the application')
  const redirectUri = providerRedirectUri(deps.baseUrl, organizationId, mode)
  const secrets = providerSecrets(deps.signer, { organizationId, id })
  return providerAddress(deps, provider, { ...secrets, redirectUri })
}
