import { MAX_MCP_KEY_DAYS, type McpKeyCreate } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { Secret } from '../../../core/secret.ts'
import { hashToken, issueToken, tokenHint } from '../../../core/token.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import { type KeyHolder, mcpKeyStore, type StoredMcpKey } from './mcp-key-store.ts'

/** Enough for the machines and agents of one user. */
const MAX_LIVE_KEYS = 20
const DEFAULT_DAYS = 30

/** The only place of the plaintext key; its hash is stored. */
export type IssuedMcpKey = { stored: StoredMcpKey; key: Secret }

/** An MCP key is for one user, selected packs and a limited time, and is valid at the MCP endpoint only. */
export const issueMcpKey = async (
  db: Database,
  holder: KeyHolder,
  body: McpKeyCreate,
): Promise<IssuedMcpKey> => {
  if (body.expires_at !== undefined && body.expires_in_days !== undefined)
    throw new Refusal('invalid_request', {
      param: 'expires_at',
      message: 'Give "expires_in_days" or "expires_at", not both.',
    })
  const token = issueToken('mcpKey', holder.organizationId)
  const stored = await db.transaction(async tx => {
    await requireBelowLimit(tx, holder)
    const toolPackIds = await findPacks(tx, holder, body.tool_pack_ids ?? null)
    const expiresInDays = body.expires_at === undefined ? (body.expires_in_days ?? DEFAULT_DAYS) : null
    return mcpKeyStore.insert(
      tx,
      holder,
      {
        id: newUuid(),
        name: body.name,
        hash: hashToken(token),
        hint: tokenHint(token, 'mcpKey'),
        toolPackIds,
        expiresInDays,
        expiresAt: body.expires_at ?? null,
      },
      MAX_MCP_KEY_DAYS,
    )
  })
  if (!stored)
    throw new Refusal('invalid_request', {
      param: 'expires_at',
      message: `"expires_at" must be in the future, by at most ${MAX_MCP_KEY_DAYS} days.`,
    })
  return { stored, key: new Secret(token) }
}

const requireBelowLimit = async (tx: Transaction, holder: KeyHolder): Promise<void> => {
  const user = await mcpKeyStore.lockUser(tx, holder)
  if (!user) throw new Refusal('registered_user_not_found')
  if (!user.isActive) throw new Refusal('user_inactive')
  if ((await mcpKeyStore.countLive(tx, holder)) >= MAX_LIVE_KEYS) throw new Refusal('mcp_key_limit_reached')
}

const findPacks = async (
  tx: Transaction,
  { organizationId }: KeyHolder,
  wanted: string[] | null,
): Promise<string[]> => {
  const strange = wanted?.findIndex(id => !isUuid(id)) ?? -1
  if (strange >= 0) throw unknownPack(strange)
  const found = await mcpKeyStore.packs(tx, organizationId, wanted)
  const missing = wanted?.findIndex(id => !found.includes(id.toLowerCase())) ?? -1
  if (missing >= 0) throw unknownPack(missing)
  return found
}

const unknownPack = (index: number): Refusal =>
  new Refusal('tool_pack_not_found', { param: `tool_pack_ids.${index}` })

/** Takes effect on the next request on every node, because keys are not cached. */
export const revokeMcpKey = async (db: Database, holder: KeyHolder, id: string): Promise<void> => {
  if (isUuid(id) && (await mcpKeyStore.delete(db, holder, id))) return
  await requireHolder(db, holder)
  throw new Refusal('mcp_key_not_found')
}

export const requireHolder = async (db: Database, holder: KeyHolder): Promise<void> => {
  if (!(await mcpKeyStore.findUser(db, holder))) throw new Refusal('registered_user_not_found')
}
