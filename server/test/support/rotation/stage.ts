import type { Sandbox } from '@carabiner/sandbox'
import type { Secret } from '../../../src/core/secret.ts'
import { unsealSecret } from '../../../src/features/credentials/credential-secret.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Parameter } from '../../../src/platform/database/statement.ts'
import { fileKeyRing } from '../../../src/platform/vault/key-ring.ts'
import { openVault, type Vault } from '../../../src/platform/vault/vault.ts'
import { createBrowserUser, linkNotes } from '../browser-user.ts'
import { openTestDatabase } from '../databases.ts'
import { NOTES, startNotesFleet } from '../notes-fleet.ts'
import { type Fleet, type Node, post } from '../processes.ts'
import { runSql } from '../run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../sealed-users.ts'

const SCOPES = ['notes:read', 'notes:write']
const DAY_IN_SECONDS = 86_400

/** A service in a separate process, its provider, and users with existing credentials. */
export type RotationStage = {
  fleet: Fleet & { first: Node }
  baseUrl: string
  sandbox: Sandbox
  db: Database
  vault: Vault
  organizationId: string
  packId: string
  /** All share one access token; each user has a separately sealed copy. */
  seeded: string[]
  /** Users who linked through the flow and whose tokens can be refreshed. */
  linked: string[]
  query: <Row>(sql: string, parameters?: Parameter[]) => Promise<Row[]>
  api: (path: string, body?: unknown) => Promise<{ status: number; body: any }>
  callNotes: (userId: string) => Promise<{ ok: boolean; text: string }>
  close: () => Promise<void>
}

export const openRotationStage = async (size: { users: number; linked: number }): Promise<RotationStage> => {
  await using opened = new AsyncDisposableStack()
  const { fleet, sandbox, baseUrl } = await startNotesFleet(opened, { accessTokenSeconds: DAY_IN_SECONDS })
  const db = await openTestDatabase(fleet.database)
  opened.defer(() => db.close())
  const vault = await openVault(db, fileKeyRing(fleet.keyFile, { production: false }))

  const query: RotationStage['query'] = (text, parameters) => runSql(db, text, parameters)
  const api: RotationStage['api'] = (path, body = {}) => post(`${baseUrl}/api/v1${path}`, fleet.key, body)
  const [pack] = await query<{ id: string; organization_id: string }>(
    'select id, organization_id from tool_packs',
  )
  const organizationId = pack?.organization_id as string
  const linked: string[] = []
  for (let n = 0; n <= size.linked; n++) {
    const { id } = (await api('/registered-users', { origin_user_id: `linked-${n}` })).body
    const minted = await api(`/registered-users/${id}/link-token`, { Connector: NOTES })
    await linkNotes(createBrowserUser(), minted.body.magic_link_url)
    linked.push(id)
  }
  const token = await readAccessToken({ db, vault }, organizationId, linked.pop() as string)
  const seeded = await seedSealedUsers(
    { db, vault },
    {
      organizationId,
      users: size.users,
      connectors: [NOTES, 'sandbox-vault'],
      secretOf: (_, connector) =>
        connector === NOTES
          ? { kind: 'oauth2', accessToken: token, refreshToken: null, tenant: {} }
          : apiKeySecret(sandbox.vaultKeys.ana),
      scopes: SCOPES,
    },
  )
  await db.script('analyze')

  const closing = opened.move()
  return {
    fleet,
    baseUrl,
    sandbox,
    db,
    vault,
    organizationId,
    packId: pack?.id as string,
    seeded,
    linked,
    query,
    api,
    callNotes: async userId => {
      const { body } = await api(`/tool-packs/${pack?.id}/registered-users/${userId}/mcp`, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: `${NOTES}__list_notes`, arguments: {} },
      })
      return { ok: Array.isArray(body.result?.structuredContent?.notes), text: JSON.stringify(body) }
    },
    close: () => closing.disposeAsync(),
  }
}

/** Reads the access token of a linked user in the same way as the service. */
const readAccessToken = async (
  { db, vault }: { db: Database; vault: Vault },
  organizationId: string,
  registeredUserId: string,
): Promise<Secret> => {
  const [row] = await runSql<{ secret_id: string; sealed: Buffer; data_key: Buffer }>(
    db,
    'select c.secret_id, c.sealed, u.data_key from credentials c join registered_users u on u.id = c.registered_user_id where u.id = $1',
    [registeredUserId],
  )
  if (!row) throw new Error('the user has linked nothing')
  const key = await vault.openUserKey(organizationId, registeredUserId, row.data_key)
  const owner = { organizationId, registeredUserId, connectorSlug: NOTES, secretId: row.secret_id }
  const secret = unsealSecret(key, owner, row.sealed)
  if (secret.kind !== 'oauth2') throw new Error('not a token')
  return secret.accessToken
}
