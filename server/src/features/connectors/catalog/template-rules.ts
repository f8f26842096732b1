import { type ConnectorField, type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { findPatternFault } from '../../../core/linear-pattern.ts'
import { namesIn } from '../../upstream/http/template.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'

/** Set by the connection or by this service, never by a file. */
const RESERVED_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|cookie)$/i
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

export const headerProblems = (headers: Record<string, string> | undefined, path: Step[]): Problem[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) => {
    const at = [...path, name]
    if (!HEADER_NAME.test(name)) return [problem(at, 'is not the name of a header')]
    if (RESERVED_HEADERS.test(name)) return [problem(at, 'is a header that a file may not set')]
    return /^[\t\x20-\x7e]*$/.test(value) ? [] : [problem(at, 'holds a character that a header cannot')]
  })

/** Names that a template speaks of and that nothing gives a value to. */
export const unknownNames = (template: unknown, known: ReadonlySet<string>, path: Step[]): Problem[] =>
  namesIn(template)
    .filter(name => !known.has(name))
    .map(name =>
      problem(
        path,
        `{${name}} is not known here; known: ${[...known].map(one => `{${one}}`).join(', ') || 'none'}`,
      ),
    )

/** Names of the values that a choice sets besides its own. */
export const namesSetBy = ({ choices = [] }: ConnectorField): string[] => [
  ...new Set(choices.flatMap(({ sets }) => Object.keys(sets ?? {}))),
]

/** `tenant.<name>` of every value that is known before the account is connected, because the person entered or chose it. */
export const enteredNames = ({ tenant = [] }: ConnectorFile): string[] =>
  tenant.flatMap(field => [field.name, ...namesSetBy(field)]).map(name => `tenant.${name}`)

/** `tenant.<name>` of every value that addresses may be made of, once the account is connected. */
export const tenantNames = (file: ConnectorFile): string[] => [
  ...enteredNames(file),
  ...obtainedValues(file).map(({ name }) => `tenant.${name}`),
]

/** Values that are known once the person has signed in: learned from the provider, or the chosen site. */
export const obtainedValues = (file: ConnectorFile): { name: string; pattern?: string }[] => {
  const { learns = [], site } = oauthMethod(file) ?? {}
  return [...learns, ...(site ? [site] : [])]
}

const PATTERN_FAULTS = {
  invalid: 'is not a regular expression',
  unsupported: 'must do without look-around and back-references',
  slow: 'can take very long on some texts; write it so that each text fits in one way only',
}

export const patternProblems = (pattern: string | undefined, path: Step[]): Problem[] => {
  const fault = pattern === undefined ? null : findPatternFault(pattern)
  return fault ? [problem(path, PATTERN_FAULTS[fault])] : []
}
