import { type Static, Type } from 'typebox'
import { Id, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

/** From the strongest down: where several apply to one value, the first of them does. */
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

// --- what an organization asks for ------------------------------------------------------------------------------------

const Action = Type.Enum([...ruleActions])
const Direction = Type.Enum([...ruleDirections])
const actions = {
  inbound_action: Type.Optional(Type.Enum([...ruleActions], { description: 'For the arguments of a call.' })),
  outbound_action: Type.Optional(Type.Enum([...ruleActions], { description: 'For its result.' })),
}
const contextWords = Type.Array(Type.String({ minLength: 1, maxLength: securityRuleBounds.wordLength }), {
  maxItems: securityRuleBounds.contextWords,
  description: 'Words that make it likelier where they stand nearby, beside the built-in ones.',
})

export const EntityRule = Type.Object(
  {
    ...actions,
    threshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'What scores less is no match.' }),
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
      description: 'What `[REDACTED:…]` says. No name of an entity.',
    }),
    pattern: Type.String({
      minLength: 1,
      maxLength: securityRuleBounds.patternLength,
      description: 'A regular expression that takes linear time; others are refused.',
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
      description: 'Everything is found and recorded as it would have been; nothing is changed.',
    }),
  ),
  entities: Type.Optional(
    Type.Record(Type.String(), EntityRule, {
      description: 'By name, as `GET /security-rules/entities` lists them.',
    }),
  ),
  custom_rules: Type.Optional(Type.Array(CustomSecurityRule, { maxItems: securityRuleBounds.customRules })),
}
export const SecurityRulesWrite = Type.Object(settings, strict)
export type SecurityRulesWrite = Static<typeof SecurityRulesWrite>

// --- what holds ---------------------------------------------------------------------------------------------------------

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
  dry_run: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null: not said here.' }),
  entities: Type.Record(Type.String(), EntityRule),
  custom_rules: Type.Array(CustomSecurityRule),
  effective: Type.Unsafe<EffectiveRules>({
    ...EffectiveRules,
    description: 'What a call is judged by: this, and for all that it does not say what stands below it.',
  }),
  updated_at: Type.Union([Timestamp, Type.Null()]),
})
export type SecurityRules = Static<typeof SecurityRules>

export const SecurityEntity = Type.Object({
  name: Type.String(),
  description: Type.String(),
  detection: Type.Enum(['pattern', 'guess'], {
    description: 'A pattern with a check of its own, or a guess by dictionary and surroundings.',
  }),
  default_inbound_action: Action,
  default_outbound_action: Action,
  default_threshold: Type.Number(),
})
export const SecurityEntities = Type.Object({ data: Type.Array(SecurityEntity) })

// --- trying them --------------------------------------------------------------------------------------------------------

export const SecurityRulesTest = Type.Object(
  {
    text: Type.Optional(
      Type.String({ maxLength: securityRuleBounds.testBytes, description: 'Either this or `value`.' }),
    ),
    value: Type.Optional(Type.Unknown({ description: 'Any JSON value, walked as a result is.' })),
    direction: Type.Optional(Type.Enum([...ruleDirections], { description: 'outbound unless told.' })),
    tool_pack_id: Type.Optional(Type.String({ maxLength: 64, description: 'As for calls with this pack.' })),
    rules: Type.Optional(
      Type.Unsafe<SecurityRulesWrite>({
        ...SecurityRulesWrite,
        description:
          'Tried in place of the saved ones: the pack’s where one is named, else the organization’s.',
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
  redacted: Type.Unknown({ description: 'What would be passed on; null where nothing would.' }),
  match_count: Type.Integer({ description: 'How many matches there are.' }),
  matches: Type.Array(
    Type.Object({
      entity: Type.String(),
      start: Type.Optional(Type.Integer({ description: 'Of a text: UTF-16 units; `end` is exclusive.' })),
      end: Type.Optional(Type.Integer()),
      places: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
            in: Type.Enum(['key', 'value']),
            ...span,
          }),
          { description: 'Of a value: more than one where it is split over neighbouring texts.' },
        ),
      ),
      score: Type.Number(),
      rule: Type.String({ description: 'Which pattern found it.' }),
      context_words: Type.Array(Type.String(), {
        description: 'Those that raised the score, nearest first.',
      }),
      action: Action,
    }),
    { description: `The first ${securityRuleBounds.testMatches} of them.` },
  ),
})
export type SecurityRulesTested = Static<typeof SecurityRulesTested>

// --- what was found -----------------------------------------------------------------------------------------------------

export const RuleViolationsQuery = Type.Object(
  {
    ...Page.Query.properties,
    registered_user_id: Type.Optional(Type.String({ maxLength: 64 })),
    entity: Type.Optional(Type.String({ maxLength: 64 })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'An ISO 8601 time.' })),
  },
  strict,
)
export const RuleViolation = Type.Object({
  id: Id,
  registered_user_id: Id,
  tool_call_id: Id,
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
