import { americanRules } from '../recognizers/american-numbers.ts'
import { asianRules } from '../recognizers/asian-numbers.ts'
import { cardRules } from '../recognizers/card-numbers.ts'
import { MONTHS } from '../recognizers/date-time.ts'
import { europeanRules } from '../recognizers/european-numbers.ts'
import { GIVEN_NAMES, PLACES, TITLES } from '../recognizers/names.ts'
import { indexWords, type WordIndex } from '../text/word-index.ts'
import { CONTEXT_WORDS, VERSION_WORDS } from './context-words.ts'
import {
  type CheckPattern,
  type CompiledCustomRule,
  type CustomRule,
  checkCustomPattern,
  compileCustomRule,
} from './custom-pattern.ts'
import { ENTITIES, type Entity } from './entities.ts'
import { type ActiveShape, buildTrie, type ShapeTrie } from './shape.ts'
import {
  FIRST_CUSTOM_TOPIC,
  GIVEN_NAME_TOPIC,
  MAX_TOPICS,
  MONTH_TOPIC,
  PLACE_TOPIC,
  TITLE_TOPIC,
  VERSION_TOPIC,
} from './topics.ts'

/** What to look for. */
export type RuleSettings = {
  /** The entities to look for; `{}` uses the default settings of an entity. Others are not looked for. */
  entities: Partial<Record<Entity, EntitySettings>>
  /** Rules with a regular expression of your own. */
  custom?: readonly CustomRule[]
  /** Labels of further placeholders, `[REDACTED:<label>]`, that must not be scanned. */
  otherLabels?: readonly string[]
}

/** The settings of one entity. */
export type EntitySettings = {
  /** From 0 to 1. Matches with a lower score are dropped. Default: `DEFAULT_THRESHOLD`. */
  threshold?: number
  /** Single words that make the entity more likely, in addition to the built-in ones. */
  words?: readonly string[]
  /** Of overlapping matches, the one with the higher rank is kept. Default: 0. */
  rank?: number
}

/** Options of `compileRules`. */
export type CompileOptions = {
  /**
   * Checks the pattern of a custom rule. Default: `checkCustomPattern`, which may take a quarter of a second. Replace it to
   * cache results.
   */
  checkPattern?: CheckPattern
}

/** Compiled settings. Create them once with `compileRules` and use them for every text. The fields are internal. */
export type Rules = {
  readonly thresholds: ReadonlyMap<string, number>
  readonly ranks: ReadonlyMap<string, number>
  readonly topics: ReadonlyMap<string, number>
  readonly enabled: EnabledRecognizers
  readonly index: WordIndex
  readonly trie: ShapeTrie
  readonly custom: readonly CompiledCustomRule[]
  /** The labels of known placeholders, which are not scanned. */
  readonly labels: ReadonlySet<string>
}

type EnabledRecognizers = ReturnType<typeof enabledRecognizers>

const enabledRecognizers = (selected: readonly Entity[]) => {
  const hasAny = (...entities: Entity[]): boolean => entities.some(entity => selected.includes(entity))
  return {
    card: hasAny('CREDIT_CARD'),
    email: hasAny('EMAIL_ADDRESS'),
    phone: hasAny('PHONE_NUMBER'),
    iban: hasAny('IBAN_CODE'),
    crypto: hasAny('CRYPTO'),
    ip: hasAny('IP_ADDRESS'),
    mac: hasAny('MAC_ADDRESS'),
    date: hasAny('DATE_TIME'),
    url: hasAny('URL'),
    apiKey: hasAny('API_KEY', 'CARABINER_TOKEN'),
    jwt: hasAny('JWT'),
    privateKey: hasAny('PRIVATE_KEY'),
    /** Entities that may consist of words only. */
    words: hasAny('DATE_TIME', 'PERSON', 'LOCATION', 'URL'),
  }
}

/** The threshold of an entity whose settings do not name one. */
export const DEFAULT_THRESHOLD = 0.5

const LABEL = /^[A-Z][A-Z0-9_]{0,63}$/
const MAX_CUSTOM_RULES = MAX_TOPICS - FIRST_CUSTOM_TOPIC

/**
 * Compiles settings for `scanText` and `scanValue`. Throws if a threshold, a label or a custom pattern is invalid.
 *
 * @example
 * const rules = compileRules({
 *   entities: { EMAIL_ADDRESS: {}, US_SSN: { threshold: 0.4, words: ['member'] } },
 *   custom: [{ label: 'EMPLOYEE_ID', pattern: 'EMP-\\d{6}' }],
 * })
 */
export const compileRules = (
  { entities, custom = [], otherLabels = [] }: RuleSettings,
  { checkPattern = checkCustomPattern }: CompileOptions = {},
): Rules => {
  const selected = ENTITIES.filter(entity => entities[entity] !== undefined)
  checkLabels(custom)
  const compiled = custom.map((rule, at) => compileCustomRule(rule, FIRST_CUSTOM_TOPIC + at, checkPattern))
  const thresholds = new Map<string, number>(
    selected.map(entity => [entity, thresholdOf(entity, entities[entity])]),
  )
  return {
    thresholds,
    ranks: new Map([
      ...selected.map((entity): [string, number] => [entity, entities[entity]?.rank ?? 0]),
      ...custom.map(({ label, rank = 0 }): [string, number] => [label, rank]),
    ]),
    topics: new Map([
      ...ENTITIES.map((entity, topic): [string, number] => [entity, topic]),
      ...compiled.map(({ label, topic }): [string, number] => [label, topic]),
    ]),
    enabled: enabledRecognizers(selected),
    index: indexWords([
      ...selected.map((entity): [number, string[]] => [
        ENTITIES.indexOf(entity),
        contextWordsFor(entity, entities[entity]),
      ]),
      ...dictionaryTopics(selected),
      ...custom.map((rule, at): [number, string[]] => [
        FIRST_CUSTOM_TOPIC + at,
        (rule.words ?? []).flatMap(splitWords),
      ]),
    ]),
    trie: buildTrie(activeShapes(thresholds)),
    custom: compiled,
    labels: new Set([...ENTITIES, ...compiled.map(({ label }) => label), ...otherLabels]),
  }
}

const checkLabels = (custom: readonly CustomRule[]): void => {
  if (custom.length > MAX_CUSTOM_RULES)
    throw new Error(`At most ${MAX_CUSTOM_RULES} custom rules are allowed.`)
  for (const { label } of custom)
    if (!LABEL.test(label))
      throw new Error(
        `"${label}" is not a valid label. Use uppercase letters, digits and underscores, at most 64.`,
      )
}

const SHAPES = [...cardRules, ...americanRules, ...europeanRules, ...asianRules]

/** Drops the shapes that cannot reach the threshold even with context. */
const activeShapes = (thresholds: ReadonlyMap<string, number>): ActiveShape[] =>
  SHAPES.flatMap(shape => {
    const threshold = thresholds.get(shape.entity)
    if (threshold === undefined || shape.contextScore < threshold) return []
    return [{ ...shape, threshold, topic: ENTITIES.indexOf(shape.entity as Entity) }]
  })

const thresholdOf = (entity: string, settings: EntitySettings | undefined): number => {
  const threshold = settings?.threshold ?? DEFAULT_THRESHOLD
  if (!(threshold >= 0 && threshold <= 1))
    throw new Error(`The threshold of ${entity} must be a number from 0 to 1.`)
  return threshold
}

const splitWords = (words: string): string[] => words.split(/[^\p{L}\p{M}]+/u).filter(Boolean)

const contextWordsFor = (entity: Entity, settings: EntitySettings | undefined): string[] => [
  ...splitWords(CONTEXT_WORDS[entity] ?? ''),
  ...(settings?.words ?? []).flatMap(splitWords),
]

/** Words that are looked up for an entity without being its context. */
const DICTIONARIES: readonly [entity: Entity, topic: number, words: string][] = [
  ['IP_ADDRESS', VERSION_TOPIC, VERSION_WORDS],
  ['DATE_TIME', MONTH_TOPIC, MONTHS],
  ['LOCATION', PLACE_TOPIC, PLACES],
  ['PERSON', GIVEN_NAME_TOPIC, GIVEN_NAMES],
  ['PERSON', TITLE_TOPIC, TITLES],
]

const dictionaryTopics = (selected: readonly Entity[]): [number, string[]][] =>
  DICTIONARIES.filter(([entity]) => selected.includes(entity)).map(([, topic, words]) => [
    topic,
    splitWords(words),
  ])
