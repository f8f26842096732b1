import type { Credential } from '@carabiner/contract'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { knownTools } from '../../connectors/mcp-servers/known-tools.ts'
import {
  listCredentials,
  listRevocations,
  listSharedWith,
  type ReadDeps,
} from '../../credentials/read-credentials.ts'
import { readRecentCalls } from '../../metering/records/recent-calls.ts'
import { translatorFor } from '../../pages/page-response.ts'
import type {
  Connection,
  ConnectionCall,
  ConnectionDetail,
  SharedConnection,
} from '../../pages/views/connections/model.ts'
import type { ConnectionState, ConnectorDisplay, RevocationState } from '../../pages/views/index.ts'
import { toolTitle } from '../pages/abilities-of.ts'
import { connectorDisplay } from '../pages/session-page.ts'
import { reconnectReason } from '../sessions/reconnect-reason.ts'
import type { ConnectionsPageContext } from './connections-guard.ts'

type Deps = ReadDeps & { lists: ReadDatabase; connectors: Connectors }

const MAX_SHOWN_CALLS = 8

export type Listed = Connection & { credentialId: string }
export type Ended = {
  connector: ConnectorDisplay
  account: string | null
  revocation: RevocationState | null
}

export const ownerOf = ({ session: { organizationId, mode, registeredUserId } }: ConnectionsPageContext) => ({
  organizationId,
  mode,
  registeredUserId,
})

/** The user's connections, by the name of their connector. */
export const readConnections = async (deps: Deps, context: ConnectionsPageContext): Promise<Listed[]> => {
  const credentials = await listCredentials(deps, ownerOf(context))
  const listed = await Promise.all(
    credentials
      .filter(({ status }) => status !== 'revoked')
      .map(async credential => ({
        ...toConnection(credential, await displayOf(deps, context, credential.connector_slug), credentials),
        credentialId: credential.credential_id,
      })),
  )
  return listed.toSorted((a, b) => a.connector.name.localeCompare(b.connector.name))
}

/** Accounts that others share with the user. The page names no person: who owns an account is not for its users to know. */
export const readShared = async (
  deps: Deps,
  context: ConnectionsPageContext,
): Promise<SharedConnection[]> => {
  const shared = await listSharedWith(deps.db, ownerOf(context))
  const listed = await Promise.all(
    shared.map(async ({ connectorSlug, label, account, status, pausedUntil, isOfOrganization }) => ({
      connector: await displayOf(deps, context, connectorSlug),
      account,
      label,
      state: stateOf(status, pausedUntil !== null),
      isOfOrganization,
    })),
  )
  return listed.toSorted((a, b) => a.connector.name.localeCompare(b.connector.name))
}

export type FoundConnection =
  | { status: 'connected'; slug: string; detail: ConnectionDetail; isOneOfSeveral: boolean }
  | { status: 'ended'; ended: Ended }

/** One connection of the user; null if the user has none with this ID. */
export const readConnection = async (
  deps: Deps,
  context: ConnectionsPageContext,
  credentialId: string,
): Promise<FoundConnection | null> => {
  const credentials = await listCredentials(deps, ownerOf(context))
  const credential = credentials.find(({ credential_id }) => credential_id === credentialId)
  if (!credential) return null
  const { connector_slug: slug, account } = credential
  const connector = await displayOf(deps, context, slug)
  if (credential.status === 'revoked') {
    const revocation = await readRevocation(deps, context, credentialId)
    return { status: 'ended', ended: { connector, account, revocation } }
  }
  const detail = {
    ...toConnection(credential, connector, credentials),
    reconnectReason: reconnectReason(credential.health),
    since: new Date(credential.created_at),
    pausedUntil: credential.paused_until === null ? null : new Date(credential.paused_until),
    calls: await readCalls(deps, context, slug, credentialId),
  }
  return { status: 'connected', slug, detail, isOneOfSeveral: siblingsOf(credential, credentials) > 1 }
}

const stateOf = (status: Credential['status'], isPaused: boolean, endsSoon = false): ConnectionState => {
  if (isPaused) return 'paused'
  if (status === 'needs_reauth') return 'needs_reauth'
  return endsSoon ? 'at_risk' : 'active'
}

/** A refusal is not shown: the provider may have an outage, and the user could not do anything about it. */
const endsSoon = ({ health }: Credential): boolean => health.state === 'at_risk' && health.ends_at !== null

/** The user's accounts of the same connector, with this one. */
const siblingsOf = ({ connector_slug: slug }: Credential, all: Credential[]): number =>
  all.filter(other => other.connector_slug === slug && other.status !== 'revoked').length

const toConnection = (
  credential: Credential,
  connector: ConnectorDisplay,
  all: Credential[],
): Connection => ({
  connector,
  account: credential.account,
  label: credential.account === null && siblingsOf(credential, all) === 1 ? null : credential.label,
  state: stateOf(credential.status, credential.paused_until !== null, endsSoon(credential)),
})

/** A connector that was removed from the catalog is named by its slug. */
const displayOf = async (
  { connectors }: Deps,
  context: ConnectionsPageContext,
  slug: string,
): Promise<ConnectorDisplay> => {
  const connector = await connectors.find(context.session.organizationId, slug)
  if (connector) return connectorDisplay(connector, translatorFor(context, connectors))
  return {
    slug,
    name: slug,
    summary: '',
    categories: [],
    letters: null,
    tint: null,
    logo: null,
    linkedBy: 'sign_in',
  }
}

const readCalls = async (
  { db, lists, connectors }: Deps,
  context: ConnectionsPageContext,
  slug: string,
  credentialId: string,
): Promise<ConnectionCall[]> => {
  const { organizationId, registeredUserId } = context.session
  const calls = await readRecentCalls(
    lists,
    ownerOf(context),
    { registeredUserId, connector: slug, credentialId },
    MAX_SHOWN_CALLS,
  )
  if (calls.length === 0) return []
  const connector = await connectors.find(organizationId, slug)
  const tools = connector ? await knownTools(db, organizationId, connector) : []
  const translate = translatorFor(context, connectors)
  const titles = new Map(tools.map(tool => [tool.name, toolTitle(tool, translate)]))
  return calls.map(({ tool, startedAt, succeeded }) => ({
    tool: titles.get(tool) ?? tool,
    at: startedAt,
    succeeded,
  }))
}

/** The outcome of the latest revocation; null after its receipt was deleted. */
const readRevocation = async (
  { db }: Deps,
  context: ConnectionsPageContext,
  credentialId: string,
): Promise<RevocationState | null> => {
  const receipts = await listRevocations(db, ownerOf(context))
  return receipts.find(({ credential_id }) => credential_id === credentialId)?.outcome ?? null
}
