import { operations } from '@carabiner/contract/operations'
import { parsePage, toPage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import type { Principal } from '../../../edge/principal.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type KeyHolder, mcpKeyStore, type StoredMcpKey } from './mcp-key-store.ts'
import { issueMcpKey, requireHolder, revokeMcpKey } from './mcp-keys.ts'

export const mcpKeyRoutes = (api: Api, { db }: { db: Database }): void => {
  serve(api, operations.createMcpKey, async request => {
    const { stored, key } = await issueMcpKey(
      db,
      holderOf(request.principal, request.params.id),
      request.body,
    )
    return { ...showKey(stored), key: key.reveal() }
  })

  serve(api, operations.listMcpKeys, async request => {
    const holder = holderOf(request.principal, request.params.id)
    const { limit, after } = parsePage(request.query)
    await requireHolder(db, holder)
    const page = toPage(await mcpKeyStore.list(db, holder, { after, limit: limit + 1 }), limit)
    return { ...page, data: page.data.map(showKey) }
  })

  serve(api, operations.findMcpKeys, async ({ principal: { organizationId, mode }, query }) => ({
    data: (await mcpKeyStore.findByHint(db, { organizationId, mode }, query.hint)).map(showKey),
  }))

  serve(api, operations.revokeMcpKey, async request => {
    const { id, key_id } = request.params
    await revokeMcpKey(db, holderOf(request.principal, id), key_id)
  })
}

const holderOf = ({ organizationId, mode }: Principal, id: string): KeyHolder => {
  if (!isUuid(id)) throw new Refusal('registered_user_not_found')
  return { organizationId, mode, registeredUserId: id }
}

const showKey = (key: StoredMcpKey) => ({
  id: key.id,
  registered_user_id: key.registeredUserId,
  name: key.name,
  hint: key.hint,
  tool_pack_ids: key.toolPackIds,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt.toISOString(),
})
