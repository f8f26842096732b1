import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyRoutes } from './api-key-routes.ts'
import { originOf, parseExactUrl, parseOriginEntry } from './callback-origin.ts'
import { organizationStore, type StoredOrganization } from './organization-store.ts'
import { CALLBACK_PARAMETERS, hasParameter } from './reserved-parameters.ts'

export const organizationRoutes = (api: Api, { db }: { db: Database }): void => {
  apiKeyRoutes(api, { db })

  serve(api, operations.getOrganization, async request =>
    toOrganization(await organizationStore.find(db, request.principal.organizationId)),
  )

  serve(
    api,
    operations.updateOrganization,
    async request => {
      const { organizationId } = request.principal
      if (request.body.runtime_callback_url)
        await requireRuntimeCallback(db, organizationId, request.body.runtime_callback_url)
      return toOrganization(await organizationStore.update(db, organizationId, request.body))
    },
    {
      before: async request =>
        toOrganization(await organizationStore.find(db, request.principal.organizationId)),
    },
  )

  serve(api, operations.listCallbackOrigins, async request => ({
    data: (await organizationStore.listOrigins(db, request.principal.organizationId)).map(toCallbackOrigin),
  }))

  serve(api, operations.addCallbackOrigin, async request => {
    const origin = parseOriginEntry(request.body.origin)
    if (!origin) throw new Refusal('invalid_origin', { param: 'origin' })
    const stored = await organizationStore.addOrigin(db, request.principal.organizationId, origin)
    return toCallbackOrigin(stored as NonNullable<typeof stored>)
  })

  serve(api, operations.removeCallbackOrigin, async request => {
    const origin = parseOriginEntry(request.body.origin)
    if (!origin) throw new Refusal('invalid_origin', { param: 'origin' })
    if (!(await organizationStore.removeOrigin(db, request.principal.organizationId, origin))) {
      throw new Refusal('callback_origin_not_found')
    }
  })
}

/** Applies the checks of a mint request's `callback_url`, because under `code_only` every link minted at runtime uses this URL. */
const requireRuntimeCallback = async (
  db: Database,
  organizationId: string,
  address: string,
): Promise<void> => {
  const param = 'runtime_callback_url'
  const url = parseExactUrl(address)
  if (!url) throw new Refusal('invalid_callback_url', { param })
  if (hasParameter(url.search, CALLBACK_PARAMETERS))
    throw new Refusal('reserved_callback_parameter', { param })
  const origin = originOf(url)
  const listed = await organizationStore.listOrigins(db, organizationId)
  if (!listed.some(stored => stored.origin === origin)) throw new Refusal('unauthorized_origin', { param })
}

const toOrganization = (stored: StoredOrganization | null) => {
  if (!stored) throw new Refusal('not_found')
  return {
    id: stored.id,
    name: stored.name,
    plan: stored.plan,
    link_binding: stored.linkBinding,
    runtime_callback_url: stored.runtimeCallbackUrl,
    capture: stored.capture,
    created_at: stored.createdAt.toISOString(),
  }
}
const toCallbackOrigin = ({ origin, createdAt }: { origin: string; createdAt: Date }) => ({
  origin,
  created_at: createdAt.toISOString(),
})
