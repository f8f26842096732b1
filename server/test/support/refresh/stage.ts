import type { LedgerEntry, Sandbox } from '@carabiner/sandbox'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Parameter } from '../../../src/platform/database/statement.ts'
import { createBrowserUser, linkNotes } from '../browser-user.ts'
import { moveClock, openTestDatabase } from '../databases.ts'
import { NOTES, startNotesFleet } from '../notes-fleet.ts'
import { type Fleet, type Node, post } from '../processes.ts'
import { runSql } from '../run-sql.ts'

/** Outcome of a call: the notes, the reason why the user must link, or an error code. */
export type Outcome = 'notes' | `link: ${string}` | `error: ${string}`

export type CredentialState = {
  version: number
  status: string
  status_reason: string | null
  fence: number
  leased: boolean
}

/** Service processes on one PostgreSQL, and a provider that revokes the token family when a refresh token is reused. */
export type RefreshStage = {
  fleet: Fleet & { first: Node }
  nodes: Node[]
  sandbox: Sandbox
  db: Database
  query<Row>(sql: string, parameters?: Parameter[]): Promise<Row[]>
  linkUser(): Promise<string>
  call(node: Node, userId: string): Promise<Outcome>
  /** Makes the access token expire, by the clock of the database. */
  expire(userIds: string[]): Promise<void>
  moveClock(milliseconds: number): Promise<void>
  credential(userId: string): Promise<CredentialState>
  countEvents(userIds: string[], type: string): Promise<number>
  /** Requests at the token endpoint since the previous call of this function. */
  takeRefreshes(): LedgerEntry[]
  close(): Promise<void>
}

export const openRefreshStage = async (size: { nodes: number }): Promise<RefreshStage> => {
  await using opened = new AsyncDisposableStack()
  const { fleet, sandbox } = await startNotesFleet(opened)
  const others = Array.from({ length: size.nodes - 1 }, () => fleet.start())
  const nodes = [fleet.first, ...(await Promise.all(others))]
  const db = await openTestDatabase(fleet.database)
  opened.defer(() => db.close())
  const query: RefreshStage['query'] = (text, parameters) => runSql(db, text, parameters)
  const [pack] = await query<{ id: string }>('select id from tool_packs')
  let users = 0
  let reported = 0

  const closing = opened.move()
  return {
    fleet,
    nodes,
    sandbox,
    db,
    query,
    linkUser: async () => {
      const api = (path: string, body: unknown) =>
        post(`${fleet.first.baseUrl}/api/v1${path}`, fleet.key, body)
      const { id } = (await api('/registered-users', { origin_user_id: `refreshed-${users++}` })).body
      const minted = await api(`/registered-users/${id}/link-token`, { Connector: NOTES })
      await linkNotes(createBrowserUser(), minted.body.magic_link_url)
      return id
    },
    call: async (node, userId) => {
      const url = `${node.baseUrl}/api/v1/tool-packs/${pack?.id}/registered-users/${userId}/mcp`
      const params = { name: `${NOTES}__list_notes`, arguments: {} }
      const { body } = await post(url, fleet.key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      return outcomeOf(body)
    },
    expire: async userIds => {
      await query(
        'update credentials set access_expires_at = app_now() where registered_user_id = any($1::uuid[])',
        [userIds],
      )
    },
    moveClock: milliseconds => moveClock(db, milliseconds),
    credential: async userId => {
      const [row] = await query<CredentialState>(
        `select version, status, status_reason, lease_fence as fence, coalesce(lease_until > app_now(), false) as leased
         from credentials where registered_user_id = $1`,
        [userId],
      )
      if (!row) throw new Error('the user has linked nothing')
      return row
    },
    countEvents: async (userIds, type) => {
      const [row] = await query<{ n: number }>(
        'select count(*) as n from events where registered_user_id = any($1::uuid[]) and type = $2',
        [userIds, type],
      )
      return row?.n as number
    },
    takeRefreshes: () => {
      const all = sandbox.ledger.filter(({ kind }) => kind === 'refresh')
      const fresh = all.slice(reported)
      reported = all.length
      return fresh
    },
    close: () => closing.disposeAsync(),
  }
}

const outcomeOf = (body: any): Outcome => {
  const content = body.result?.structuredContent
  if (Array.isArray(content?.notes)) return 'notes'
  if (content?.type === 'authenticate_meta') return `link: ${content.reason}`
  return `error: ${body.error?.data?.code ?? content?.error?.code ?? body.error?.code ?? JSON.stringify(body)}`
}

/** Counts outcomes, so that a failed comparison shows the unexpected ones. */
export const tally = (outcomes: Outcome[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
