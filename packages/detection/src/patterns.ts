/**
 * Checks whether regular expressions from untrusted sources are safe to run on a backtracking engine.
 *
 * @packageDocumentation
 */
export {
  checkPattern,
  checkSearchPattern,
  type PatternFault,
} from './patterns/linear-pattern.ts'
export { lettersOf, namedGroup, type PatternNode, parsePattern } from './patterns/pattern-syntax.ts'
