import { type ErrorCode, Page, ToolPack, ToolPackPatch, ToolPacks, ToolPackWrite } from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage, toPage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import type { Audited } from '../../../edge/audit.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../availability.ts'
import { createPack, deletePack, patchPack, replacePack, requirePack } from './save-tool-pack.ts'
import { showPack } from './tool-pack.ts'
import { toolPackStore } from './tool-pack-store.ts'

const tags = ['Tool Packs']
// Both modes share the packs, so a test key must not change what production offers.
const settings = { productionKeyOnly: true } as const
const Path = Type.Object({ id: Type.String() })
const choosing = [
  'unknown_connector',
  'connector_not_configured',
  'unknown_tool',
  'duplicate_choice',
  'invalid_tool_choice',
] as const

const requireId = (id: string): string => {
  if (!isUuid(id)) throw new Refusal('tool_pack_not_found')
  return id
}

type Deps = { db: Database; connectors: Connectors }

const values = ['name', 'is_default'] as const

export const toolPackRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps
  const changing = {
    ...settings,
    errors: [...choosing, 'tool_pack_not_found', 'default_tool_pack_required'] satisfies ErrorCode[],
    audit: {
      action: 'tool_pack.updated',
      target: 'params.id',
      values,
      before: async request => {
        const { id } = request.params as { id: string }
        return showPack(
          request.principal,
          await requirePack(db, request.principal.organizationId, requireId(id)),
        )
      },
    } satisfies Audited,
  }

  api.get(
    '/tool-packs',
    {
      config: { errors: ['invalid_cursor'] },
      schema: { summary: 'List Tool Packs', tags, querystring: Page.Query, response: { 200: ToolPacks } },
    },
    async request => {
      const { limit, after } = parsePage(request.query)
      const rows = await toolPackStore.list(db, request.principal.organizationId, { after, limit: limit + 1 })
      const page = toPage(rows, limit)
      return { ...page, data: page.data.map(pack => showPack(request.principal, pack)) }
    },
  )

  api.post(
    '/tool-packs',
    {
      config: {
        ...settings,
        errors: [...choosing, 'tool_pack_limit_reached'],
        audit: { action: 'tool_pack.created', target: 'answer.id', values },
      },
      schema: {
        summary: 'Create a Tool Pack',
        description:
          'Selects connectors, their tools, and what the model sees of them. Default for `connectors`: every usable Connector.',
        tags,
        body: ToolPackWrite,
        response: { 201: ToolPack },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(
          showPack(request.principal, await createPack(deps, request.principal.organizationId, request.body)),
        ),
  )

  api.get(
    '/tool-packs/:id',
    {
      config: { errors: ['tool_pack_not_found'] },
      schema: { summary: 'Read a Tool Pack', tags, params: Path, response: { 200: ToolPack } },
    },
    async request =>
      showPack(
        request.principal,
        await requirePack(db, request.principal.organizationId, requireId(request.params.id)),
      ),
  )

  api.put(
    '/tool-packs/:id',
    {
      config: changing,
      schema: {
        summary: 'Replace a Tool Pack',
        description:
          'Missing fields get their defaults: without `connectors`, the pack contains every Connector again. Only `is_default` stays unchanged.',
        tags,
        params: Path,
        body: ToolPackWrite,
        response: { 200: ToolPack },
      },
    },
    async request =>
      showPack(
        request.principal,
        await replacePack(deps, request.principal.organizationId, requireId(request.params.id), request.body),
      ),
  )

  api.patch(
    '/tool-packs/:id',
    {
      config: changing,
      schema: {
        summary: 'Update a Tool Pack; missing fields stay unchanged',
        tags,
        params: Path,
        body: ToolPackPatch,
        response: { 200: ToolPack },
      },
    },
    async request =>
      showPack(
        request.principal,
        await patchPack(deps, request.principal.organizationId, requireId(request.params.id), request.body),
      ),
  )

  api.delete(
    '/tool-packs/:id',
    {
      config: {
        ...settings,
        errors: ['tool_pack_not_found', 'default_tool_pack_required'],
        audit: { action: 'tool_pack.deleted', target: 'params.id' },
      },
      schema: {
        summary: 'Delete a Tool Pack',
        description:
          'Its URL stops working at once, open links for it offer nothing, and it is removed from MCP keys.',
        tags,
        params: Path,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deletePack(db, request.principal.organizationId, requireId(request.params.id))
      return reply.code(204).send(null)
    },
  )
}
