import type {
  RuleViolation,
  RuleViolationSummary,
  SecurityEntity,
  SecurityRules,
  SecurityRulesTest,
  SecurityRulesTested,
  SecurityRulesWrite,
} from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, Send } from './send.ts'

/** Rules for data that passes between agents and third parties. Changes require the production key. */
export const securityRules = (send: Send) => ({
  get: (options?: CallOptions) => send<SecurityRules>('GET', '/security-rules', options),
  /** Omitted settings return to their default. */
  replace: (body: SecurityRulesWrite, options?: CallOptions) =>
    send<SecurityRules>('PUT', '/security-rules', options, { body }),
  /** Omitted settings keep their value. */
  update: (body: SecurityRulesWrite, options?: CallOptions) =>
    send<SecurityRules>('PATCH', '/security-rules', options, { body }),
  entities: async (options?: CallOptions) =>
    (await send<{ data: SecurityEntity[] }>('GET', '/security-rules/entities', options)).data,
  /** Tests the rules on a text or a value, which is not stored. */
  test: (body: SecurityRulesTest, options?: CallOptions) =>
    send<SecurityRulesTested>('POST', '/security-rules/test', options, { body, once: true }),
  ofToolPack: {
    get: (toolPackId: string, options?: CallOptions) =>
      send<SecurityRules>('GET', path`/tool-packs/${toolPackId}/security-rules`, options),
    replace: (toolPackId: string, body: SecurityRulesWrite, options?: CallOptions) =>
      send<SecurityRules>('PUT', path`/tool-packs/${toolPackId}/security-rules`, options, { body }),
    /** The rules of the organization apply again. */
    remove: (toolPackId: string, options?: CallOptions) =>
      send<void>('DELETE', path`/tool-packs/${toolPackId}/security-rules`, options),
  },
})

export type RuleViolationFilter = { registered_user_id?: string; entity?: string; since?: string }

export const ruleViolations = (send: Send) => ({
  /** Newest first. */
  list: ({ limit, ...filter }: RuleViolationFilter & PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<RuleViolation>>('GET', '/rule-violations', options, { query: { ...filter, limit, cursor } }),
    ),
  /** Counts by day and entity. Default: the last 30 days. */
  summary: ({ days }: { days?: number } = {}, options?: CallOptions) =>
    send<RuleViolationSummary>('GET', '/rule-violations/summary', options, { query: { days } }),
})
