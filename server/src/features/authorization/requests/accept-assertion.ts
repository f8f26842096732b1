import { hash } from 'node:crypto'
import { findClient } from '../clients/find-client.ts'
import { type IssuedTokens, issueForAssertion } from '../grants/issue-tokens.ts'
import { MAX_ASSERTION_SECONDS, readAssertion } from '../settings/identity-provider.ts'
import { openProvider } from '../settings/save-settings.ts'
import { settingsStore } from '../settings/settings-store.ts'
import { issuerOf } from '../settings/sign-in-addresses.ts'
import { readResource } from './authorization-request.ts'
import type { SignInDeps } from './begin-sign-in.ts'
import { findOrCreateUser } from './finish-sign-in.ts'

type AssertionRequest = { organizationId: string; clientId: string; assertion: string; resource: string }

/**
 * Enterprise-managed authorization: the organization's identity provider has decided that a client may act for a user, so the user is not
 * asked. The client, the resource and this server are named by the assertion, which works once. Null: invalid grant.
 */
export const acceptAssertion = async (
  deps: SignInDeps,
  { organizationId, clientId, assertion, resource }: AssertionRequest,
): Promise<IssuedTokens | null> => {
  const pack = readResource(resource, { baseUrl: deps.baseUrl, organizationId })
  const settings = pack && (await settingsStore.find(deps.db, { organizationId, mode: pack.mode }))
  if (!pack || !settings?.acceptAssertions) return null
  const provider = await openProvider(deps.vault, settings)
  const egress = deps.egress.onBehalfOf(organizationId)
  const audience = issuerOf(deps.baseUrl, organizationId)
  const accepted = provider && (await readAssertion(egress, provider, { assertion, audience }))
  if (!accepted || accepted.clientId !== clientId || accepted.resource !== resource) return null
  const client = await findClient(deps, organizationId, clientId)
  const registeredUserId = client && (await findOrCreateUser(deps, settings, accepted.identity))
  if (!registeredUserId) return null
  return issueForAssertion(deps.db, {
    organizationId,
    registeredUserId,
    toolPackId: pack.toolPackId,
    clientId,
    clientName: client.name,
    resource: pack,
    assertionHash: hash('sha256', JSON.stringify([provider.issuer, accepted.id]), 'buffer'),
    assertionLifetimeSeconds: 2 * MAX_ASSERTION_SECONDS,
  })
}
