import {
  type ErrorCode,
  SecurityEntities,
  SecurityRules,
  SecurityRulesTest,
  SecurityRulesTested,
  SecurityRulesWrite,
  securityRuleBounds,
} from '@carabiner/contract'
import type { FastifyRequest } from 'fastify'
import { NIL_UUID } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import { checkSettings, emptyEntities, withoutEmpty } from './check-settings.ts'
import { entityCatalog } from './entity-catalog.ts'
import { requirePack } from './pack-routes.ts'
import { securityRuleStore } from './security-rule-store.ts'
import { showRules } from './show-rules.ts'
import { type TryRulesDeps, tryRules } from './try-rules.ts'

const tags = ['Security Gateway']
// Both modes share the rules, so a test key must not change them. Tool lists do not depend on rules, so no wake-up is needed.
const changing = {
  productionKeyOnly: true,
  permission: 'protect' as const,
  skipsWakeUp: true,
  errors: ['duplicate_choice', 'check_capacity_exceeded'] as ErrorCode[],
}

type Deps = { db: Database } & TryRulesDeps

export const securityRuleRoutes = (api: Api, { db, isolated, checkPatterns }: Deps): void => {
  const showOwn = async (organizationId: string): Promise<SecurityRules> =>
    showRules(await securityRuleStore.readOwn(db, organizationId), 'organization')

  api.get(
    '/security-rules',
    { schema: { summary: 'Get the security rules', tags, response: { 200: SecurityRules } } },
    async request => showOwn(request.principal.organizationId),
  )

  const audit = {
    action: 'security_rules.updated',
    values: ['entities', 'dry_run'],
    before: (request: FastifyRequest) => showOwn(request.principal.organizationId),
  }

  api.put(
    '/security-rules',
    {
      config: { ...changing, audit },
      schema: {
        summary: 'Replace the security rules',
        description: 'Omitted settings return to their defaults. The rules apply from the next call on.',
        tags,
        body: SecurityRulesWrite,
        response: { 200: SecurityRules },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const settings = await checkSettings(request.body, { checkPatterns, organizationId })
      await securityRuleStore.replaceOwn(db, organizationId, withoutEmpty(settings))
      return showOwn(organizationId)
    },
  )

  api.patch(
    '/security-rules',
    {
      config: { ...changing, audit },
      schema: {
        summary: 'Update the security rules',
        description:
          'Omitted fields keep their value. The rule of a given entity is replaced; `{}` restores its default. `custom_rules` replaces all custom rules.',
        tags,
        body: SecurityRulesWrite,
        response: { 200: SecurityRules },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const settings = await checkSettings(request.body, { checkPatterns, organizationId })
      const cleared = emptyEntities(settings)
      if (Object.keys(settings).length > 0)
        await securityRuleStore.patchOwn(db, organizationId, settings, cleared)
      return showOwn(organizationId)
    },
  )

  api.get(
    '/security-rules/entities',
    {
      schema: {
        summary: 'List the entities that can be detected',
        tags,
        response: { 200: SecurityEntities },
      },
    },
    async () => ({ data: entityCatalog }),
  )

  api.post(
    '/security-rules/test',
    {
      // The largest value plus the other fields of the body.
      bodyLimit: securityRuleBounds.testBytes + 64 * 1024,
      config: {
        skipsWakeUp: true,
        permission: 'read',
        idempotency: false,
        errors: ['tool_pack_not_found', 'duplicate_choice', 'check_capacity_exceeded'],
        audit: false,
      },
      schema: {
        summary: 'Test the rules on a text or a value',
        description: 'The text or value is neither stored nor logged. Maximum size: 1 MB.',
        tags,
        body: SecurityRulesTest,
        response: { 200: SecurityRulesTested },
      },
    },
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
  )
}
