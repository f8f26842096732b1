import { newPhoneGroups, type PhoneGroups } from '../recognizers/phone-number.ts'
import { type JwtRun, newJwtRun } from '../recognizers/secrets.ts'
import { placeholderEnd } from '../redaction/placeholder.ts'
import type { Rules } from '../rules/compile-rules.ts'
import { newTokens, type Tokens } from '../text/tokenize.ts'
import { type Context, contextDistance, NO_CONTEXT, newContext } from './context.ts'
import type { AddMatch, Candidate } from './match.ts'

/** Options of a scan. */
export type ScanOptions = {
  /**
   * Called before each text of a value and before each custom rule. Throw from it to end a scan that takes too long; the
   * error propagates to the caller.
   */
  checkTime?: () => void
}

/** What was found in one text, before overlaps are resolved. */
export type Findings = {
  matches: Candidate[]
  placeholders: [start: number, end: number][]
  /** Runs that may be base64. */
  base64: [start: number, end: number][]
}

/** The working memory of one scan: the text that is being scanned, its tokens, context words and findings. */
export type Scanner = {
  rules: Rules
  checkTime: () => void
  text: string
  findings: Findings
  tokens: Tokens
  context: Context
  jwtRun: JwtRun
  phoneGroups: PhoneGroups
  /** For the names of members, which are tokenized while the context of a text is in use. */
  keyTokens: Tokens
  addMatch: AddMatch
  skipPlaceholder: (at: number) => number
}

export const newFindings = (): Findings => ({ matches: [], placeholders: [], base64: [] })

const INITIAL_LENGTH = 4096
const INITIAL_KEY_LENGTH = 64
const noTimeLimit = (): void => undefined

const newScanner = (rules: Rules): Scanner => {
  const scanner: Scanner = {
    rules,
    checkTime: noTimeLimit,
    text: '',
    findings: newFindings(),
    tokens: newTokens(INITIAL_LENGTH),
    context: newContext(),
    jwtRun: newJwtRun(),
    phoneGroups: newPhoneGroups(),
    keyTokens: newTokens(INITIAL_KEY_LENGTH),
    addMatch: match => addMatch(scanner, match),
    skipPlaceholder: at => skipPlaceholder(scanner, at),
  }
  return scanner
}

/** The memory of the last finished scan. Allocating it for every short text would take longer than scanning the text. */
let idle: Scanner | null = null

/** Runs a scan with working memory of its own. If the scan throws, its memory is not used again. */
export const withScanner = <Result>(
  rules: Rules,
  { checkTime = noTimeLimit }: ScanOptions,
  scan: (scanner: Scanner) => Result,
): Result => {
  const scanner = idle ?? newScanner(rules)
  idle = null
  scanner.rules = rules
  scanner.checkTime = checkTime
  const result = scan(scanner)
  idle = scanner
  return result
}

export const topicOf = ({ topics }: Rules, entity: string): number => topics.get(entity) as number

const addMatch = (
  { rules, context, findings }: Scanner,
  { entity, rule, start, end, baseScore, contextScore }: Parameters<AddMatch>[0],
): boolean => {
  const threshold = rules.thresholds.get(entity)
  if (threshold === undefined || contextScore < threshold) return false
  const distance = contextDistance(context, topicOf(rules, entity), start, end, baseScore)
  if (baseScore < threshold && distance === NO_CONTEXT) return false
  findings.matches.push({ entity, rule, start, end, baseScore, contextScore, distance })
  return true
}

/** Returns the end of the placeholder at a bracket, or the next position if there is none. */
const skipPlaceholder = ({ text, rules, findings }: Scanner, at: number): number => {
  const end = placeholderEnd(text, at, rules.labels)
  if (end > at) findings.placeholders.push([at, end])
  return Math.max(end, at + 1)
}
