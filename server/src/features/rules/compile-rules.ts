import { americanRules } from './american-numbers.ts'
import { asianRules } from './asian-numbers.ts'
import { cardRules } from './card-numbers.ts'
import { CONTEXT_WORDS, VERSION_WORDS } from './context-words.ts'
import { type CompiledCustom, type CustomRule, compileCustom } from './custom-pattern.ts'
import { MONTHS } from './date-time.ts'
import { ENTITIES, type Entity, OFF_BY_DEFAULT } from './entities.ts'
import { europeanRules } from './european-numbers.ts'
import { GIVEN_NAMES, PLACES, TITLES } from './names.ts'
import { type AskedShape, buildTrie, type ShapeTrie } from './shape.ts'
import { indexWords, type WordIndex } from './word-index.ts'

/** What an organization asks for. Entities that are not named are not looked for. */
export type RuleSettings = {
  entities: Partial<Record<Entity, EntitySettings>>
  custom?: readonly CustomRule[]
}
export type EntitySettings = {
  /** From 0 to 1: what scores less is no match. */
  threshold?: number
  /** Single words that make it likelier, beside the built-in ones. */
  words?: readonly string[]
  /** Where matches overlap, the entity with the higher rank stays: blocking before redacting before logging. */
  rank?: number
}

/** Settings made ready for scanning; made once, used for every text. */
export type Rules = {
  threshold: ReadonlyMap<string, number>
  rank: ReadonlyMap<string, number>
  topics: ReadonlyMap<string, number>
  /** Whether anything of a kind is looked for, so that each text need not ask again. */
  asks: Asks
  index: WordIndex
  trie: ShapeTrie
  custom: readonly CompiledCustom[]
  /** What `[REDACTED:…]` may name: such a placeholder is left alone. */
  labels: ReadonlySet<string>
}

type Asks = ReturnType<typeof asksOf>

const asksOf = (chosen: readonly Entity[]) => {
  const any = (...entities: Entity[]): boolean => entities.some(entity => chosen.includes(entity))
  return {
    card: any('CREDIT_CARD'),
    email: any('EMAIL_ADDRESS'),
    phone: any('PHONE_NUMBER'),
    iban: any('IBAN_CODE'),
    crypto: any('CRYPTO'),
    ip: any('IP_ADDRESS'),
    mac: any('MAC_ADDRESS'),
    date: any('DATE_TIME'),
    url: any('URL'),
    key: any('API_KEY', 'CARABINER_TOKEN'),
    webToken: any('JWT'),
    armour: any('PRIVATE_KEY'),
    /** What may be found in words alone. */
    words: any('DATE_TIME', 'PERSON', 'LOCATION', 'URL'),
  }
}

export const DEFAULT_THRESHOLD = 0.5

/** Topics that are no entity. */
export const VERSION_TOPIC = 100
export const MONTH_TOPIC = 101
export const GIVEN_NAME_TOPIC = 102
export const TITLE_TOPIC = 103
export const PLACE_TOPIC = 104
const FIRST_CUSTOM_TOPIC = 200

const LABEL = /^[A-Z][A-Z0-9_]{0,63}$/

export const compileRules = ({ entities, custom = [] }: RuleSettings): Rules => {
  const chosen = ENTITIES.filter(entity => entities[entity] !== undefined)
  const compiled = custom.map((rule, at) => compileCustom(rule, FIRST_CUSTOM_TOPIC + at))
  for (const { label } of compiled)
    if (!LABEL.test(label))
      throw new Error(`«${label}» is no label: capitals, digits and underscores, 64 at most.`)
  const threshold = new Map<string, number>(
    chosen.map(entity => [entity, thresholdOf(entity, entities[entity])]),
  )
  return {
    threshold,
    rank: new Map(chosen.map(entity => [entity, entities[entity]?.rank ?? 0])),
    topics: new Map([
      ...ENTITIES.map((entity, topic): [string, number] => [entity, topic]),
      ...compiled.map(({ label, topic }): [string, number] => [label, topic]),
    ]),
    asks: asksOf(chosen),
    index: indexWords([
      ...chosen.map((entity): [number, string[]] => [
        ENTITIES.indexOf(entity),
        wordsFor(entity, entities[entity]),
      ]),
      ...ownTopics(chosen),
      ...custom.map((rule, at): [number, string[]] => [
        FIRST_CUSTOM_TOPIC + at,
        (rule.words ?? []).flatMap(wordsOf),
      ]),
    ]),
    trie: buildTrie(askedShapes(threshold)),
    custom: compiled,
    labels: new Set([...ENTITIES, ...compiled.map(({ label }) => label)]),
  }
}

const SHAPES = [...cardRules, ...americanRules, ...europeanRules, ...asianRules]

/** What no word nearby could lift above its threshold is not looked for. */
const askedShapes = (thresholds: ReadonlyMap<string, number>): AskedShape[] =>
  SHAPES.flatMap(shape => {
    const threshold = thresholds.get(shape.entity)
    if (threshold === undefined || shape.together < threshold) return []
    return [{ ...shape, threshold, topic: ENTITIES.indexOf(shape.entity as Entity) }]
  })

const thresholdOf = (entity: string, settings: EntitySettings | undefined): number => {
  const threshold = settings?.threshold ?? DEFAULT_THRESHOLD
  if (!(threshold >= 0 && threshold <= 1))
    throw new Error(`The threshold of ${entity} is a number from 0 to 1.`)
  return threshold
}

const wordsOf = (words: string): string[] => words.split(/[^\p{L}\p{M}]+/u).filter(Boolean)

const wordsFor = (entity: Entity, settings: EntitySettings | undefined): string[] => [
  ...wordsOf(CONTEXT_WORDS[entity] ?? ''),
  ...(settings?.words ?? []).flatMap(wordsOf),
]

const ownTopics = (chosen: readonly Entity[]): [number, string[]][] => [
  ...(chosen.includes('IP_ADDRESS') ? [[VERSION_TOPIC, wordsOf(VERSION_WORDS)] as [number, string[]]] : []),
  ...(chosen.includes('DATE_TIME') ? [[MONTH_TOPIC, wordsOf(MONTHS)] as [number, string[]]] : []),
  ...(chosen.includes('LOCATION') ? [[PLACE_TOPIC, wordsOf(PLACES)] as [number, string[]]] : []),
  ...(chosen.includes('PERSON')
    ? [
        [GIVEN_NAME_TOPIC, wordsOf(GIVEN_NAMES)] as [number, string[]],
        [TITLE_TOPIC, wordsOf(TITLES)] as [number, string[]],
      ]
    : []),
]

export const DEFAULT_ENTITIES: readonly Entity[] = ENTITIES.filter(entity => !OFF_BY_DEFAULT.includes(entity))

const rulesFor = (entities: readonly Entity[]): Rules =>
  compileRules({ entities: Object.fromEntries(entities.map(entity => [entity, {}])) })

export const defaultRules: Rules = rulesFor(DEFAULT_ENTITIES)
export const allRules: Rules = rulesFor(ENTITIES)
