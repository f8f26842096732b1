import type { SecurityRules } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { CheckPatterns } from './check-patterns.ts'
import { checkSettings, withoutEmpty } from './check-settings.ts'
import type { RuleOwner } from './rule-cache.ts'
import { securityRuleStore } from './security-rule-store.ts'
import { showRules } from './show-rules.ts'

type Deps = { db: Database; checkPatterns: CheckPatterns }

export const packRuleRoutes = (api: Api, { db, checkPatterns }: Deps): void => {
  const show = async (owner: RuleOwner): Promise<SecurityRules> =>
    showRules(await securityRuleStore.read(db, owner), 'toolPack')

  serve(api, operations.getToolPackSecurityRules, async request =>
    show(await requirePack(db, ownerOf(request))),
  )

  serve(
    api,
    operations.replaceToolPackSecurityRules,
    async request => {
      const owner = ownerOf(request)
      const settings = withoutEmpty(
        await checkSettings(request.body, { checkPatterns, organizationId: owner.organizationId }),
      )
      if (!(await securityRuleStore.replaceOfPack(db, owner, settings)))
        throw new Refusal('tool_pack_not_found')
      return show(owner)
    },
    { before: async request => show(await requirePack(db, ownerOf(request as OfPack))), skipsWakeUp: true },
  )

  serve(
    api,
    operations.deleteToolPackSecurityRules,
    async request => {
      if (!(await securityRuleStore.deleteOfPack(db, ownerOf(request))))
        throw new Refusal('tool_pack_not_found')
    },
    { skipsWakeUp: true },
  )
}

type OfPack = { params: { id: string }; principal: { organizationId: string } }

const ownerOf = ({ params, principal }: OfPack): RuleOwner => {
  if (!isUuid(params.id)) throw new Refusal('tool_pack_not_found')
  return { organizationId: principal.organizationId, toolPackId: params.id }
}

export const requirePack = async (db: Database, owner: RuleOwner): Promise<RuleOwner> => {
  if (!isUuid(owner.toolPackId) || !(await securityRuleStore.findPack(db, owner)))
    throw new Refusal('tool_pack_not_found')
  return owner
}
