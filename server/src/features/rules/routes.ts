import {
  type ErrorCode,
  SecurityEntities,
  SecurityRules,
  SecurityRulesTest,
  SecurityRulesTested,
  SecurityRulesWrite,
  securityRuleBounds,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { isUuid, NIL_UUID } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database.ts'
import { checkSettings } from './check-settings.ts'
import { entityCatalogue } from './entity-catalogue.ts'
import type { RuleOwner } from './rule-book.ts'
import { securityRuleStore } from './security-rule-store.ts'
import { showRules } from './show-rules.ts'
import { tryRules } from './try-rules.ts'

const tags = ['Security Gateway']
// Both modes share them: a test key must not change what production is judged by. No list of tools depends on them.
const changing = { productionKeyOnly: true, wakesNobody: true, errors: ['duplicate_choice'] as ErrorCode[] }
const ofPack = { ...changing, errors: [...changing.errors, 'tool_pack_not_found'] as ErrorCode[] }
const Path = Type.Object({ id: Type.String() })

type Deps = { db: Database }

export const securityRuleRoutes = (api: Api, { db }: Deps): void => {
  const showOwn = async (organizationId: string): Promise<SecurityRules> =>
    showRules(await securityRuleStore.readOwn(db, organizationId), 'organization')
  const showOfPack = async (owner: RuleOwner): Promise<SecurityRules> =>
    showRules(await securityRuleStore.read(db, owner), 'toolPack')

  api.get(
    '/security-rules',
    { schema: { summary: 'Read the security rules', tags, response: { 200: SecurityRules } } },
    async request => showOwn(request.principal.organizationId),
  )

  api.put(
    '/security-rules',
    {
      config: changing,
      schema: {
        summary: 'Replace the security rules',
        description: 'What is left out is as by default. They hold for the very next call.',
        tags,
        body: SecurityRulesWrite,
        response: { 200: SecurityRules },
      },
    },
    async request => {
      const { organizationId } = request.principal
      await securityRuleStore.replaceOwn(db, organizationId, withoutEmpty(await checkSettings(request.body)))
      return showOwn(organizationId)
    },
  )

  api.patch(
    '/security-rules',
    {
      config: changing,
      schema: {
        summary: 'Change the security rules; what is left out stays as it is',
        description:
          'An entity that is named is as it is given here; `{}` puts it back to its default. `custom_rules` replaces them all.',
        tags,
        body: SecurityRulesWrite,
        response: { 200: SecurityRules },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const settings = await checkSettings(request.body)
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
        summary: 'List what can be looked for',
        tags,
        response: { 200: SecurityEntities },
      },
    },
    async () => ({ data: entityCatalogue }),
  )

  api.post(
    '/security-rules/test',
    {
      // A whole value, and what stands around it.
      bodyLimit: securityRuleBounds.testBytes + 64 * 1024,
      config: { wakesNobody: true, idempotency: false, errors: ['tool_pack_not_found', 'duplicate_choice'] },
      schema: {
        summary: 'Try the rules on a text or a value',
        description: 'Nothing of it is kept or logged. At most 1 MB.',
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
      return tryRules(request.body, await securityRuleStore.read(db, owner))
    },
  )

  api.get(
    '/tool-packs/:id/security-rules',
    {
      config: { errors: ['tool_pack_not_found'] },
      schema: {
        summary: 'Read what a Tool Pack’s own security rules say',
        tags,
        params: Path,
        response: { 200: SecurityRules },
      },
    },
    async request => showOfPack(await requirePack(db, ownerOf(request))),
  )

  api.put(
    '/tool-packs/:id/security-rules',
    {
      config: ofPack,
      schema: {
        summary: 'Replace a Tool Pack’s own security rules',
        description:
          'What is left out is as the organization’s rules say, field by field. Custom rules of both apply; of two with one label, the pack’s.',
        tags,
        params: Path,
        body: SecurityRulesWrite,
        response: { 200: SecurityRules },
      },
    },
    async request => {
      const owner = ownerOf(request)
      const settings = withoutEmpty(await checkSettings(request.body))
      if (!(await securityRuleStore.replaceOfPack(db, owner, settings)))
        throw new Refusal('tool_pack_not_found')
      return showOfPack(owner)
    },
  )

  api.delete(
    '/tool-packs/:id/security-rules',
    {
      config: { ...ofPack, errors: ['tool_pack_not_found'] },
      schema: {
        summary: 'Remove a Tool Pack’s own security rules',
        description: 'The organization’s hold for it again.',
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

const requirePack = async (db: Database, owner: RuleOwner): Promise<RuleOwner> => {
  if (!isUuid(owner.toolPackId) || !(await securityRuleStore.findPack(db, owner)))
    throw new Refusal('tool_pack_not_found')
  return owner
}

const emptyEntities = ({ entities = {} }: SecurityRulesWrite): string[] =>
  Object.keys(entities).filter(name => Object.keys(entities[name] ?? {}).length === 0)

const withoutEmpty = (settings: SecurityRulesWrite): SecurityRulesWrite => {
  if (!settings.entities) return settings
  const empty = emptyEntities(settings)
  const entities = Object.entries(settings.entities).filter(([name]) => !empty.includes(name))
  return { ...settings, entities: Object.fromEntries(entities) }
}
