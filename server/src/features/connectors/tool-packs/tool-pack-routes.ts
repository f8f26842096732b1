import { operations } from '@carabiner/contract/operations'
import { parsePage, toPage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import type { Principal } from '../../../edge/principal.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../availability.ts'
import { createPack, deletePack, patchPack, replacePack, requirePack } from './save-tool-pack.ts'
import { showPack } from './tool-pack.ts'
import { toolPackStore } from './tool-pack-store.ts'

const requireId = (id: string): string => {
  if (!isUuid(id)) throw new Refusal('tool_pack_not_found')
  return id
}

type Deps = { db: Database; connectors: Connectors }

export const toolPackRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps
  const show = async (request: { principal: Principal; params: { id: string } }) =>
    showPack(
      request.principal,
      await requirePack(db, request.principal.organizationId, requireId(request.params.id)),
    )

  serve(api, operations.listToolPacks, async request => {
    const { limit, after } = parsePage(request.query)
    const rows = await toolPackStore.list(db, request.principal.organizationId, { after, limit: limit + 1 })
    const page = toPage(rows, limit)
    return { ...page, data: page.data.map(pack => showPack(request.principal, pack)) }
  })

  serve(api, operations.createToolPack, async request =>
    showPack(request.principal, await createPack(deps, request.principal.organizationId, request.body)),
  )

  serve(api, operations.getToolPack, show)

  serve(
    api,
    operations.replaceToolPack,
    async request =>
      showPack(
        request.principal,
        await replacePack(deps, request.principal.organizationId, requireId(request.params.id), request.body),
      ),
    { before: show },
  )

  serve(
    api,
    operations.updateToolPack,
    async request =>
      showPack(
        request.principal,
        await patchPack(deps, request.principal.organizationId, requireId(request.params.id), request.body),
      ),
    { before: show },
  )

  serve(api, operations.deleteToolPack, async request => {
    await deletePack(db, request.principal.organizationId, requireId(request.params.id))
  })
}
