import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CustomSecurityRule, SecurityRulesWrite } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { CUSTOM_FAULTS, judgeCustomPattern } from './custom-pattern.ts'
import { ENTITIES } from './entities.ts'
import type { SecuritySettings } from './security-settings.ts'

/** What else a placeholder may say: the user's own credential is taken out of every answer under this name. */
const TAKEN_LABELS: ReadonlySet<string> = new Set<string>([...ENTITIES, 'CREDENTIAL'])
const KNOWN_ENTITIES: ReadonlySet<string> = new Set(ENTITIES)

/** To judge a pattern takes up to a quarter of a second: nobody has the service think about theirs for longer than this. */
const MOST_JUDGING = 3 * SECOND

/** The schema has seen to types and lengths; this is the rest. */
export const checkSettings = async (given: SecurityRulesWrite, under = ''): Promise<SecuritySettings> => {
  for (const [entity, { context_words: words }] of Object.entries(given.entities ?? {})) {
    const param = `${under}entities.${entity}`
    if (!KNOWN_ENTITIES.has(entity))
      throw new Refusal('unknown_field', {
        param,
        message: `"${param}" is no entity. GET /api/v1/security-rules/entities lists them.`,
      })
    checkWords(words, param)
  }
  await checkCustomRules(given.custom_rules ?? [], `${under}custom_rules`)
  return given
}

const checkCustomRules = async (rules: CustomSecurityRule[], under: string): Promise<void> => {
  const labels = new Set<string>()
  const startedAt = performance.now()
  for (const [at, rule] of rules.entries()) {
    const param = `${under}.${at}`
    checkLabel(rule.label, labels, `${param}.label`)
    labels.add(rule.label)
    checkWords(rule.context_words, param)
    const fault = judgeCustomPattern({ ...rule, ignoreCase: rule.ignore_case ?? false })
    if (fault) throw invalid(`${param}.pattern`, CUSTOM_FAULTS[fault])
    if (performance.now() - startedAt > MOST_JUDGING)
      throw invalid(under, 'These patterns together take too long to judge. Make them simpler, or fewer.')
    await nextTurn()
  }
}

const checkLabel = (label: string, earlier: ReadonlySet<string>, param: string): void => {
  if (TAKEN_LABELS.has(label))
    throw invalid(param, `"${label}" is a name that placeholders have already. Choose another label.`)
  if (earlier.has(label)) throw new Refusal('duplicate_choice', { param })
}

const checkWords = (words: readonly string[] | undefined, under: string): void => {
  const at = words?.findIndex(word => !/\p{L}/u.test(word)) ?? -1
  if (at >= 0) throw invalid(`${under}.context_words.${at}`, 'A context word has at least one letter.')
}

const invalid = (param: string, message: string): Refusal =>
  new Refusal('invalid_request', { param, message })

/** Entities that are named without saying anything of them: they are as by default. */
export const emptyEntities = ({ entities = {} }: SecurityRulesWrite): string[] =>
  Object.keys(entities).filter(name => Object.keys(entities[name] ?? {}).length === 0)

export const withoutEmpty = (settings: SecurityRulesWrite): SecurityRulesWrite => {
  if (!settings.entities) return settings
  const empty = emptyEntities(settings)
  const entities = Object.entries(settings.entities).filter(([name]) => !empty.includes(name))
  return { ...settings, entities: Object.fromEntries(entities) }
}
