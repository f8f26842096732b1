import { type SecurityRules, securityRuleBounds } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import type { FastifyRequest } from 'fastify'
import { NIL_UUID } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import { checkSettings, emptyEntities, withoutEmpty } from './check-settings.ts'
import { entityCatalog } from './entity-catalog.ts'
import { requirePack } from './pack-routes.ts'
import { securityRuleStore } from './security-rule-store.ts'
import { showRules } from './show-rules.ts'
import { type TryRulesDeps, tryRules } from './try-rules.ts'

type Deps = { db: Database } & TryRulesDeps

export const securityRuleRoutes = (api: Api, { db, isolated, checkPatterns }: Deps): void => {
  const showOwn = async (organizationId: string): Promise<SecurityRules> =>
    showRules(await securityRuleStore.readOwn(db, organizationId), 'organization')

  serve(api, operations.getSecurityRules, async request => showOwn(request.principal.organizationId))

  const before = (request: FastifyRequest) => showOwn(request.principal.organizationId)

  serve(
    api,
    operations.replaceSecurityRules,
    async request => {
      const { organizationId } = request.principal
      const settings = await checkSettings(request.body, { checkPatterns, organizationId })
      await securityRuleStore.replaceOwn(db, organizationId, withoutEmpty(settings))
      return showOwn(organizationId)
    },
    // Tool lists do not depend on rules.
    { before, skipsWakeUp: true },
  )

  serve(
    api,
    operations.updateSecurityRules,
    async request => {
      const { organizationId } = request.principal
      const settings = await checkSettings(request.body, { checkPatterns, organizationId })
      const cleared = emptyEntities(settings)
      if (Object.keys(settings).length > 0)
        await securityRuleStore.patchOwn(db, organizationId, settings, cleared)
      return showOwn(organizationId)
    },
    // Tool lists do not depend on rules.
    { before, skipsWakeUp: true },
  )

  serve(api, operations.listSecurityEntities, async () => ({ data: entityCatalog }))

  serve(
    api,
    operations.testSecurityRules,
    async request => {
      const { tool_pack_id: packId } = request.body
      const { organizationId } = request.principal
      const owner = { organizationId, toolPackId: packId ?? NIL_UUID }
      if (packId !== undefined) await requirePack(db, owner)
      return tryRules(
        { isolated, checkPatterns },
        organizationId,
        request.body,
        await securityRuleStore.read(db, owner),
      )
    },
    // The largest value plus the other fields of the body.
    { skipsWakeUp: true, bodyLimit: securityRuleBounds.testBytes + 64 * 1024 },
  )
}
