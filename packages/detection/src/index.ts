/**
 * Finds and redacts personal data and secrets in text and JSON values.
 *
 * @packageDocumentation
 */
export { placeholderFor } from './redaction/placeholder.ts'
export { redactValue } from './redaction/redact-value.ts'
export {
  type CompileOptions,
  compileRules,
  DEFAULT_THRESHOLD,
  type EntitySettings,
  type RuleSettings,
  type Rules,
} from './rules/compile-rules.ts'
export {
  type CheckPattern,
  CUSTOM_PATTERN_FAULTS,
  type CustomPattern,
  type CustomPatternFault,
  type CustomRule,
  checkCustomPattern,
} from './rules/custom-pattern.ts'
export { DEFAULT_ENTITIES, ENTITIES, type Entity } from './rules/entities.ts'
export type { Match, Place, ValueMatch } from './scan/match.ts'
export { scanText } from './scan/scan-text.ts'
export { scanValue, ValueTooDeepError } from './scan/scan-value.ts'
export type { ScanOptions } from './scan/scanner.ts'
