import { FoundMcpKeys, McpKeyCreate, McpKeyFilter, McpKeys, NewMcpKey, Page } from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage, toPage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import type { Principal } from '../../../edge/principal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type KeyHolder, mcpKeyStore, type StoredMcpKey } from './mcp-key-store.ts'
import { issueMcpKey, requireHolder, revokeMcpKey } from './mcp-keys.ts'

const tags = ['MCP keys']
const UserPath = Type.Object({ id: Type.String() })
const KeyPath = Type.Object({ id: Type.String(), key_id: Type.String() })

export const mcpKeyRoutes = (api: Api, { db }: { db: Database }): void => {
  api.post(
    '/registered-users/:id/mcp-keys',
    {
      config: {
        idempotency: false,
        errors: [
          'registered_user_not_found',
          'user_inactive',
          'tool_pack_not_found',
          'mcp_key_limit_reached',
        ],
        audit: {
          action: 'mcp_key.created',
          target: 'answer.id',
          registeredUser: 'params.id',
          // Not the name, which often contains that of the user.
          values: ['hint', 'expires_at'],
        },
      },
      schema: {
        summary: 'Create an MCP key for a Registered User',
        description:
          'Opens the MCP endpoint for this user and the chosen Tool Packs, and nothing else. The key is shown this once.',
        tags,
        params: UserPath,
        body: McpKeyCreate,
        response: { 201: NewMcpKey },
      },
    },
    async (request, reply) => {
      const { stored, key } = await issueMcpKey(
        db,
        holderOf(request.principal, request.params.id),
        request.body,
      )
      return reply.code(201).send({ ...showKey(stored), key: key.reveal() })
    },
  )

  api.get(
    '/registered-users/:id/mcp-keys',
    {
      config: { errors: ['registered_user_not_found', 'invalid_cursor'] },
      schema: {
        summary: 'List the MCP keys of a Registered User',
        description: 'Those that expired are listed for another 30 days.',
        tags,
        params: UserPath,
        querystring: Page.Query,
        response: { 200: McpKeys },
      },
    },
    async request => {
      const holder = holderOf(request.principal, request.params.id)
      const { limit, after } = parsePage(request.query)
      await requireHolder(db, holder)
      const page = toPage(await mcpKeyStore.list(db, holder, { after, limit: limit + 1 }), limit)
      return { ...page, data: page.data.map(showKey) }
    },
  )

  api.get(
    '/mcp-keys',
    {
      schema: {
        summary: 'Find MCP keys by their last characters',
        description: 'At most 20, newest first.',
        tags,
        querystring: McpKeyFilter,
        response: { 200: FoundMcpKeys },
      },
    },
    async ({ principal: { organizationId, mode }, query }) => ({
      data: (await mcpKeyStore.findByHint(db, { organizationId, mode }, query.hint)).map(showKey),
    }),
  )

  api.delete(
    '/registered-users/:id/mcp-keys/:key_id',
    {
      config: {
        errors: ['registered_user_not_found', 'mcp_key_not_found'],
        audit: { action: 'mcp_key.revoked', target: 'params.key_id', registeredUser: 'params.id' },
      },
      schema: {
        summary: 'Revoke an MCP key; it stops working at once',
        tags,
        params: KeyPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, key_id } = request.params
      await revokeMcpKey(db, holderOf(request.principal, id), key_id)
      return reply.code(204).send(null)
    },
  )
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
