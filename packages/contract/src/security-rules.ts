import { type Static, Type } from 'typebox'
import { Id, orNull, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

/** In descending order of strength: if several actions apply to one value, the first takes effect. */
export const ruleActions = ['block', 'redact', 'log', 'none'] as const
export type RuleAction = (typeof ruleActions)[number]

export const ruleDirections = ['inbound', 'outbound'] as const
export type RuleDirection = (typeof ruleDirections)[number]

export const securityRuleBounds = {
  customRules: 50,
  contextWords: 20,
  wordLength: 40,
  patternLength: 1000,
  testBytes: 1024 * 1024,
  testMatches: 1000,
} as const

// --- settings ---------------------------------------------------------------------------------------------------------

const Action = Type.Enum([...ruleActions])
const Direction = Type.Enum([...ruleDirections])
const actions = {
  inbound_action: Type.Optional(
    Type.Enum([...ruleActions], { description: 'Action for the arguments of a call.' }),
  ),
  outbound_action: Type.Optional(
    Type.Enum([...ruleActions], { description: 'Action for the result of a call.' }),
  ),
}
const contextWords = Type.Array(Type.String({ minLength: 1, maxLength: securityRuleBounds.wordLength }), {
  maxItems: securityRuleBounds.contextWords,
  description: 'Words that raise the score of a nearby match, in addition to the built-in ones.',
})

export const EntityRule = Type.Object(
  {
    ...actions,
    threshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Minimum score of a match.' }),
    ),
    context_words: Type.Optional(contextWords),
  },
  strict,
)
export type EntityRule = Static<typeof EntityRule>

export const CustomSecurityRule = Type.Object(
  {
    label: Type.String({
      pattern: '^[A-Z][A-Z0-9_]{1,63}$',
      description: 'Label in `[REDACTED:…]`. Must not be the name of an entity.',
    }),
    pattern: Type.String({
      minLength: 1,
      maxLength: securityRuleBounds.patternLength,
      description: 'Regular expression. Lookaround and backreferences are not supported.',
    }),
    ignore_case: Type.Optional(Type.Boolean()),
    context_words: Type.Optional(contextWords),
    ...actions,
  },
  strict,
)
export type CustomSecurityRule = Static<typeof CustomSecurityRule>

const settings = {
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'Matches are recorded, but calls are neither blocked nor redacted.',
    }),
  ),
  entities: Type.Optional(
    Type.Record(Type.String(), EntityRule, {
      description: 'Rules by entity name. `GET /security-rules/entities` lists the names.',
    }),
  ),
  custom_rules: Type.Optional(Type.Array(CustomSecurityRule, { maxItems: securityRuleBounds.customRules })),
}
export const SecurityRulesWrite = Type.Object(settings, strict)
export type SecurityRulesWrite = Static<typeof SecurityRulesWrite>

// --- effective rules ----------------------------------------------------------------------------------------------------

const EffectiveRules = Type.Object({
  dry_run: Type.Boolean(),
  entities: Type.Record(
    Type.String(),
    Type.Object({
      inbound_action: Action,
      outbound_action: Action,
      threshold: Type.Number(),
      context_words: Type.Array(Type.String()),
    }),
  ),
  custom_rules: Type.Array(
    Type.Object({
      label: Type.String(),
      pattern: Type.String(),
      ignore_case: Type.Boolean(),
      context_words: Type.Array(Type.String()),
      inbound_action: Action,
      outbound_action: Action,
    }),
  ),
})
export type EffectiveRules = Static<typeof EffectiveRules>

export const SecurityRules = Type.Object({
  dry_run: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null if not set at this level.' }),
  entities: Type.Record(Type.String(), EntityRule),
  custom_rules: Type.Array(CustomSecurityRule),
  effective: Type.Unsafe<EffectiveRules>({
    ...EffectiveRules,
    description:
      'Rules that apply to a call: these settings, completed by those of the organization and the defaults.',
  }),
  updated_at: Type.Union([Timestamp, Type.Null()]),
})
export type SecurityRules = Static<typeof SecurityRules>

export const securityEntityGroups = ['secrets', 'contact', 'finance', 'network', 'identity'] as const
export const SecurityEntity = Type.Object({
  name: Type.String(),
  description: Type.String(),
  group: Type.Enum(securityEntityGroups),
  country: orNull(
    Type.String({
      description: 'For `identity`: the country that issues the number, as ISO 3166-1 alpha-2.',
    }),
  ),
  detection: Type.Enum(['pattern', 'guess'], {
    description:
      '`pattern`: a pattern with its own validation; `guess`: a heuristic based on dictionary and context.',
  }),
  default_inbound_action: Action,
  default_outbound_action: Action,
  default_threshold: Type.Number(),
})
export const SecurityEntities = Type.Object({ data: Type.Array(SecurityEntity) })

// --- test ---------------------------------------------------------------------------------------------------------------

export const SecurityRulesTest = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        maxLength: securityRuleBounds.testBytes,
        description: 'Text to scan. Give either `text` or `value`.',
      }),
    ),
    value: Type.Optional(
      Type.Unknown({ description: 'JSON value to scan, traversed in the same way as a result.' }),
    ),
    direction: Type.Optional(Type.Enum([...ruleDirections], { description: 'Default: outbound.' })),
    tool_pack_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'Applies the rules of this Tool Pack.' }),
    ),
    rules: Type.Optional(
      Type.Unsafe<SecurityRulesWrite>({
        ...SecurityRulesWrite,
        description:
          'Rules to use instead of the saved ones: those of the Tool Pack if `tool_pack_id` is given, otherwise those of the organization.',
      }),
    ),
  },
  strict,
)
export type SecurityRulesTest = Static<typeof SecurityRulesTest>

const span = { start: Type.Integer(), end: Type.Integer() }
export const SecurityRulesTested = Type.Object({
  action: Action,
  dry_run: Type.Boolean(),
  redacted: Type.Unknown({ description: 'Text or value after redaction; null if blocked.' }),
  match_count: Type.Integer({ description: 'Total number of matches.' }),
  matches: Type.Array(
    Type.Object({
      entity: Type.String(),
      start: Type.Optional(
        Type.Integer({ description: 'Only for `text`: offset in UTF-16 code units; `end` is exclusive.' }),
      ),
      end: Type.Optional(Type.Integer()),
      places: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
            in: Type.Enum(['key', 'value']),
            ...span,
          }),
          {
            description: 'Only for `value`: locations of the match; several if it spans neighboring strings.',
          },
        ),
      ),
      score: Type.Number(),
      rule: Type.String({ description: 'Pattern that matched.' }),
      context_words: Type.Array(Type.String(), {
        description: 'Context words that raised the score, nearest first.',
      }),
      action: Action,
    }),
    { description: `At most the first ${securityRuleBounds.testMatches} matches.` },
  ),
})
export type SecurityRulesTested = Static<typeof SecurityRulesTested>

// --- violations ---------------------------------------------------------------------------------------------------------

export const RuleViolationsQuery = Type.Object(
  {
    ...Page.Query.properties,
    registered_user_id: Type.Optional(Type.String({ maxLength: 64 })),
    entity: Type.Optional(Type.String({ maxLength: 64 })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'Inclusive start, in ISO 8601 format.' })),
  },
  strict,
)
export const RuleViolation = Type.Object({
  id: Id,
  registered_user_id: Id,
  tool_call_id: Id,
  connector: orNull(Type.String({ description: 'Null for a built-in tool.' })),
  tool: Type.String(),
  at: Timestamp,
  direction: Direction,
  entity: Type.String(),
  rule: Type.String(),
  action: Action,
  count: Type.Integer(),
  score: Type.Number(),
  dry_run: Type.Boolean(),
})
export type RuleViolation = Static<typeof RuleViolation>
export const RuleViolations = pageOf(RuleViolation)

export const RuleViolationSummaryQuery = Type.Object(
  {
    days: Type.Optional(
      Type.String({ pattern: '^([1-9]|[1-8][0-9]|90)$', description: '1 to 90. Default: 30' }),
    ),
  },
  strict,
)
export const RuleViolationSummary = Type.Object({
  first_day: Type.String({ format: 'date', description: 'First day (UTC).' }),
  last_day: Type.String({ format: 'date', description: 'Current day (UTC).' }),
  data: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date' }),
      entity: Type.String(),
      violations: Type.Integer(),
      matches: Type.Integer({ description: 'Sum of the matches of these violations.' }),
      dry_run: Type.Integer({ description: 'Number of these violations that were recorded in a dry run.' }),
    }),
    { description: 'One entry for each day and entity with violations.' },
  ),
  is_partial: Type.Boolean({
    description: 'Whether the period has more than 100,000 violations, of which the latest are counted.',
  }),
})
export type RuleViolationSummary = Static<typeof RuleViolationSummary>
