import { hash } from 'node:crypto'
import type { SignInRejection } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { recordEvent } from '../../events/record-event.ts'
import { findClient } from '../clients/find-client.ts'
import { grantStore } from '../grants/grant-store.ts'
import { type IssuedTokens, issueForAssertion } from '../grants/issue-tokens.ts'
import { MAX_ASSERTION_SECONDS, readAssertion } from '../settings/identity-assertion.ts'
import { openProvider } from '../settings/save-settings.ts'
import { settingsStore } from '../settings/settings-store.ts'
import { issuerOf } from '../settings/sign-in-addresses.ts'
import { readResource } from './authorization-request.ts'
import type { SignInDeps } from './begin-sign-in.ts'
import { findOrCreateUser } from './finish-sign-in.ts'
import { logRejection, rejectionEvent } from './reject-sign-in.ts'

type AssertionRequest = {
  organizationId: string
  clientId: string
  assertion: string
  resource: string
  network: string
}

/** Twice the time for which one is accepted, so that a clock which differs does not allow a replay. */
const USED_ASSERTION_SECONDS = 2 * MAX_ASSERTION_SECONDS

/**
 * Enterprise-managed authorization: the organization's identity provider has decided that a client may act for a user, so the user is not
 * asked. The assertion names the client, the resource and this server, and can be used once. Null: invalid grant.
 */
export const acceptAssertion = async (
  deps: SignInDeps,
  { organizationId, clientId, assertion, resource, network }: AssertionRequest,
): Promise<IssuedTokens | null> => {
  const pack = readResource(resource, { baseUrl: deps.baseUrl, organizationId })
  const settings = pack && (await settingsStore.find(deps.db, { organizationId, mode: pack.mode }))
  if (!pack || !settings?.acceptAssertions) return null
  const provider = await openProvider(deps.vault, settings)
  const audience = issuerOf(deps.baseUrl, organizationId)
  const accepted = provider && (await readAssertion(deps, provider, { assertion, audience }))
  if (!accepted || accepted.clientId !== clientId || accepted.resource !== resource) return null
  const client = await findClient(deps, { organizationId, network }, clientId)
  if (client === 'busy') throw new Refusal('rate_limited', { retryAfterSeconds: 1 })
  if (!client) return null
  const assertionHash = hash('sha256', JSON.stringify([provider.issuer, accepted.id]), 'buffer')
  const request = { organizationId, ...pack, clientId, clientName: client.name }
  const reject = async (cause: SignInRejection): Promise<null> => {
    const isFirst = await deps.db.transaction(async tx => {
      const used = await grantStore.useAssertion(tx, organizationId, assertionHash, USED_ASSERTION_SECONDS)
      if (used) await recordEvent(tx, rejectionEvent(request, settings, cause))
      return used
    })
    if (isFirst) logRejection(deps.log, request, cause)
    return null
  }
  if (typeof accepted.identity === 'string') return reject(accepted.identity)
  const registeredUserId = await findOrCreateUser(deps, settings, accepted.identity)
  if (registeredUserId === null) return reject('user_not_found')
  return issueForAssertion(deps.db, {
    ...request,
    registeredUserId,
    resource: pack,
    assertionHash,
    assertionLifetimeSeconds: USED_ASSERTION_SECONDS,
  })
}
