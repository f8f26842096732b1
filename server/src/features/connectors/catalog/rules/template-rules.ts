import { type ConnectorField, type ConnectorFile, methodOf, oauthMethod } from '@carabiner/contract'
import { checkPattern } from '@carabiner/detection/patterns'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'

/** Headers that the connection or this service sets. */
const RESERVED_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*)$/i
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

/** `isSession`: the headers carry a token, which some vendors want as a cookie. */
export const headerProblems = (
  headers: Record<string, string> | undefined,
  path: Step[],
  { isSession = false } = {},
): Problem[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) => {
    const at = [...path, name]
    if (!HEADER_NAME.test(name)) return [problem(at, 'is not a valid header name')]
    if (RESERVED_HEADERS.test(name) || (/^cookie$/i.test(name) && !isSession))
      return [problem(at, 'is a header that a connector file must not set')]
    return /^[\t\x20-\x7e]*$/.test(value)
      ? []
      : [problem(at, 'contains a character that is not allowed in a header')]
  })

/** Placeholders of a template without a value. */
export const unknownNames = (template: unknown, known: ReadonlySet<string>, path: Step[]): Problem[] =>
  namesIn(template)
    .filter(name => !known.has(name))
    .map(name =>
      problem(path, `{${name}} is unknown; known: ${[...known].map(one => `{${one}}`).join(', ') || 'none'}`),
    )

/** Names of the additional values that a choice sets. */
export const namesSetBy = ({ choices = [] }: ConnectorField): string[] => [
  ...new Set(choices.flatMap(({ sets }) => Object.keys(sets ?? {}))),
]

/** Only a token request can use private keys and certificates. */
export const keyFieldProblems = (field: ConnectorField, path: Step[]): Problem[] =>
  (['private_key', 'client_certificate', 'certificate'] as const)
    .filter(name => field[name] !== undefined)
    .map(name => problem([...path, name], 'is only allowed for fields of token_request'))

/** `tenant.<name>` of each value that is known before the account is connected, because the user entered or chose it. */
export const enteredNames = ({ tenant = [] }: ConnectorFile): string[] =>
  tenant.flatMap(field => [field.name, ...namesSetBy(field)]).map(name => `tenant.${name}`)

/** `tenant.<name>` of each value that addresses may contain once the account is connected. */
export const tenantNames = (file: ConnectorFile): string[] => [
  ...enteredNames(file),
  ...obtainedValues(file).map(({ name }) => `tenant.${name}`),
]

/** Values that are known after sign-in or a token request: learned from the provider, or the chosen site. */
export const obtainedValues = (file: ConnectorFile): { name: string; pattern?: string }[] => {
  const { learned_values: learnedValues = [], site } = oauthMethod(file) ?? {}
  return [...learnedValues, ...(site ? [site, ...(site.sets ?? [])] : []), ...addressValues(file)]
}

/** Values that token requests return for addresses, such as the host of the account. */
export const addressValues = (file: ConnectorFile): { name: string; pattern?: string }[] =>
  (methodOf(file, 'token_request')?.requests ?? []).flatMap(({ values = {} }) =>
    Object.entries(values).flatMap(([name, rule]) =>
      typeof rule === 'object' && rule.address
        ? [{ name, ...(rule.pattern && { pattern: rule.pattern }) }]
        : [],
    ),
  )

const PATTERN_FAULTS = {
  invalid: 'is not a valid regular expression',
  unsupported: 'must not use look-around or back-references',
  slow: 'can take very long on some texts; write it so that each text matches in one way only',
}

export const patternProblems = (pattern: string | undefined, path: Step[]): Problem[] => {
  const fault = pattern === undefined ? null : checkPattern(pattern)
  return fault ? [problem(path, PATTERN_FAULTS[fault])] : []
}
