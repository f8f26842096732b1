import type { CustomSecurityRule, SecurityRulesWrite } from '@carabiner/contract'
import { CUSTOM_PATTERN_FAULTS, type CustomPattern, ENTITIES } from '@carabiner/detection'
import { Refusal } from '../../core/refusal.ts'
import { capacityExceeded } from '../../edge/capacity-exceeded.ts'
import { IsolatedError } from '../../platform/isolation/isolated-error.ts'
import type { CheckPatterns } from './check-patterns.ts'
import type { SecuritySettings } from './security-settings.ts'

/** Labels that placeholders already use. `CREDENTIAL` replaces the user's own credential in every response. */
const RESERVED_LABELS: ReadonlySet<string> = new Set<string>([...ENTITIES, 'CREDENTIAL'])
const KNOWN_ENTITIES: ReadonlySet<string> = new Set(ENTITIES)

type CheckContext = {
  checkPatterns: CheckPatterns
  organizationId: string
  /** Path of the settings in the request body, for error messages. */
  under?: string
}

/** Checks what the schema cannot: entity names, labels, context words and patterns. */
export const checkSettings = async (
  given: SecurityRulesWrite,
  { checkPatterns, organizationId, under = '' }: CheckContext,
): Promise<SecuritySettings> => {
  for (const [entity, { context_words: words }] of Object.entries(given.entities ?? {})) {
    const param = `${under}entities.${entity}`
    if (!KNOWN_ENTITIES.has(entity))
      throw new Refusal('unknown_field', {
        param,
        message: `"${param}" is not an entity. GET /api/v1/security-rules/entities lists the entities.`,
      })
    checkWords(words, param)
  }
  const customRules = given.custom_rules ?? []
  const param = `${under}custom_rules`
  checkLabels(customRules, param)
  await requireValidPatterns(customRules, param, patterns => checkPatterns(organizationId, patterns))
  return given
}

const checkLabels = (rules: readonly CustomSecurityRule[], under: string): void => {
  const labels = new Set<string>()
  for (const [n, { label, context_words: words }] of rules.entries()) {
    checkLabel(label, labels, `${under}.${n}.label`)
    labels.add(label)
    checkWords(words, `${under}.${n}`)
  }
}

const requireValidPatterns = async (
  rules: readonly CustomSecurityRule[],
  under: string,
  checkPatterns: (patterns: CustomPattern[]) => ReturnType<CheckPatterns>,
): Promise<void> => {
  const patterns = rules.map(({ pattern, ignore_case: ignoreCase }) => ({ pattern, ignoreCase }))
  const faults = await checkPatterns(patterns).catch((error: unknown) => {
    if (!(error instanceof IsolatedError)) throw error
    if (error.failure === 'busy') throw capacityExceeded(error)
    throw invalid(under, 'The patterns take too long to check. Simplify them or use fewer patterns.')
  })
  for (const [n, fault] of faults.entries())
    if (fault) throw invalid(`${under}.${n}.pattern`, CUSTOM_PATTERN_FAULTS[fault])
}

const checkLabel = (label: string, earlier: ReadonlySet<string>, param: string): void => {
  if (RESERVED_LABELS.has(label))
    throw invalid(param, `"${label}" is a reserved label. Choose another label.`)
  if (earlier.has(label)) throw new Refusal('duplicate_choice', { param })
}

const checkWords = (words: readonly string[] | undefined, under: string): void => {
  const at = words?.findIndex(word => !/\p{L}/u.test(word)) ?? -1
  if (at >= 0)
    throw invalid(`${under}.context_words.${at}`, 'A context word must contain at least one letter.')
}

const invalid = (param: string, message: string): Refusal =>
  new Refusal('invalid_request', { param, message })

/** Entities with an empty rule, which restores their defaults. */
export const emptyEntities = ({ entities = {} }: SecurityRulesWrite): string[] =>
  Object.keys(entities).filter(name => Object.keys(entities[name] ?? {}).length === 0)

export const withoutEmpty = (settings: SecurityRulesWrite): SecurityRulesWrite => {
  if (!settings.entities) return settings
  const empty = emptyEntities(settings)
  const entities = Object.entries(settings.entities).filter(([name]) => !empty.includes(name))
  return { ...settings, entities: Object.fromEntries(entities) }
}
