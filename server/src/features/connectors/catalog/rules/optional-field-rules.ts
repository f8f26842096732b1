import { type ConnectorFile, type FormMethod, isFormMethod } from '@carabiner/contract'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'

/** A parameter, header or claim can be omitted. These parts of a method cannot. */
const NEEDED_PARTS = new Set(['basic', 'url', 'text', 'computed', 'token', 'scheme'])

export const optionalFieldProblems = (file: ConnectorFile): Problem[] => [
  ...(file.tenant ?? []).flatMap(({ optional }, index) =>
    optional
      ? [problem(['tenant', index, 'optional'], 'must not be set, because addresses need the value')]
      : [],
  ),
  ...file.authorization.flatMap((method, index) =>
    isFormMethod(method) ? fieldProblems(method, ['authorization', index, 'fields']) : [],
  ),
]

const fieldProblems = (method: FormMethod, path: Step[]): Problem[] => {
  const needed = new Set(neededNames(method))
  const secrets = method.fields.filter(({ secret }) => secret)
  return [
    ...(secrets.length > 0 && secrets.every(({ optional }) => optional)
      ? [problem(path, 'must contain a secret field that is not optional')]
      : []),
    ...method.fields.flatMap(({ name, optional, private_key, certificate }, index) => {
      if (!optional) return []
      const at = [...path, index, 'optional']
      if (private_key) return [problem(at, 'must not be set for a private key')]
      if (certificate) return [problem(at, 'must not be set for a certificate')]
      return needed.has(name) ? [problem(at, `must not be set, because {${name}} cannot be omitted`)] : []
    }),
  ]
}

const neededNames = (method: FormMethod): string[] => [
  ...namesIn(partsOf(method)),
  ...(method.type === 'token_request' ? Object.values(method.assertions ?? {}).map(({ key }) => key) : []),
]

const partsOf = (part: unknown): unknown[] =>
  part !== null && typeof part === 'object'
    ? Object.entries(part).flatMap(([name, value]) => (NEEDED_PARTS.has(name) ? [value] : partsOf(value)))
    : []
