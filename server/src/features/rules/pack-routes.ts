import { type ErrorCode, SecurityRules, SecurityRulesWrite } from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import type { CheckPatterns } from './check-patterns.ts'
import { checkSettings, withoutEmpty } from './check-settings.ts'
import type { RuleOwner } from './rule-cache.ts'
import { securityRuleStore } from './security-rule-store.ts'
import { showRules } from './show-rules.ts'

const tags = ['Security Gateway']
const changing = { productionKeyOnly: true, permission: 'protect', skipsWakeUp: true } as const
const errors: ErrorCode[] = ['tool_pack_not_found']
const Path = Type.Object({ id: Type.String() })

type Deps = { db: Database; checkPatterns: CheckPatterns }

export const packRuleRoutes = (api: Api, { db, checkPatterns }: Deps): void => {
  const show = async (owner: RuleOwner): Promise<SecurityRules> =>
    showRules(await securityRuleStore.read(db, owner), 'toolPack')

  api.get(
    '/tool-packs/:id/security-rules',
    {
      config: { errors },
      schema: {
        summary: 'Get the security rules of a Tool Pack',
        tags,
        params: Path,
        response: { 200: SecurityRules },
      },
    },
    async request => show(await requirePack(db, ownerOf(request))),
  )

  api.put(
    '/tool-packs/:id/security-rules',
    {
      config: {
        ...changing,
        errors: [...errors, 'duplicate_choice', 'check_capacity_exceeded'],
        audit: {
          action: 'tool_pack.security_rules_updated',
          target: 'params.id',
          values: ['entities', 'dry_run'],
          before: async request => show(await requirePack(db, ownerOf(request as OfPack))),
        },
      },
      schema: {
        summary: 'Replace the security rules of a Tool Pack',
        description:
          'Omitted fields take the values of the organization’s rules. The custom rules of both apply; if two have the same label, the rule of the pack takes precedence.',
        tags,
        params: Path,
        body: SecurityRulesWrite,
        response: { 200: SecurityRules },
      },
    },
    async request => {
      const owner = ownerOf(request)
      const settings = withoutEmpty(
        await checkSettings(request.body, { checkPatterns, organizationId: owner.organizationId }),
      )
      if (!(await securityRuleStore.replaceOfPack(db, owner, settings)))
        throw new Refusal('tool_pack_not_found')
      return show(owner)
    },
  )

  api.delete(
    '/tool-packs/:id/security-rules',
    {
      config: {
        ...changing,
        errors,
        audit: { action: 'tool_pack.security_rules_deleted', target: 'params.id' },
      },
      schema: {
        summary: 'Delete the security rules of a Tool Pack',
        description: 'The organization’s rules then apply to the pack.',
        tags,
        params: Path,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      if (!(await securityRuleStore.deleteOfPack(db, ownerOf(request))))
        throw new Refusal('tool_pack_not_found')
      return reply.code(204).send(null)
    },
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
