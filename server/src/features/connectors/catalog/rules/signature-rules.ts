import { type ConnectorFile, methodOf, type SignatureMethod, type SignatureScheme } from '@carabiner/contract'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Problem, problem, repeated, type Step } from './connector-problem.ts'
import {
  enteredNames,
  headerProblems,
  keyFieldProblems,
  patternProblems,
  unknownNames,
} from './template-rules.ts'

/** Values of `hmac` that no field may be named like. */
const SIGNED_VALUES = ['signature', 'timestamp', 'nonce', 'body_digest']

export const signatureProblems = (file: ConnectorFile): Problem[] => {
  const method = methodOf(file, 'signature')
  if (!method) return []
  const path: Step[] = ['authorization', file.authorization.indexOf(method)]
  return [
    ...(file.mcp ? [problem([...path, 'type'], 'cannot sign the requests of an MCP server')] : []),
    ...fieldProblems(method, path),
    ...schemeProblems(method, enteredNames(file), [...path, 'scheme']),
  ]
}

const fieldProblems = ({ fields, scheme }: SignatureMethod, path: Step[]): Problem[] => {
  const used = new Set(namesIn(scheme))
  return [
    ...repeated(
      fields.map(({ name }) => name),
      [...path, 'fields'],
    ),
    ...fields.flatMap((field, index) => {
      const { name, pattern, choices } = field
      const at = [...path, 'fields', index]
      return [
        ...(used.has(name) ? [] : [problem([...at, 'name'], `{${name}} is not used`)]),
        ...(SIGNED_VALUES.includes(name)
          ? [problem([...at, 'name'], `${name} is a value of the scheme`)]
          : []),
        ...(choices ? [problem([...at, 'choices'], 'is only allowed for fields of tenant')] : []),
        ...keyFieldProblems(field, at),
        ...patternProblems(pattern, [...at, 'pattern']),
      ]
    }),
  ]
}

const schemeProblems = ({ fields, scheme }: SignatureMethod, entered: string[], path: Step[]): Problem[] => {
  const known = new Set([...fields.map(({ name }) => name), ...entered])
  const isSecret = (name: string): boolean => fields.some(field => field.name === name && field.secret)
  const { secrets, visible } = templatesOf(scheme)
  return [
    ...secrets.flatMap(([name, template]) => [
      ...unknownNames(template, known, [...path, name]),
      ...(namesIn(template).some(isSecret) ? [] : [problem([...path, name], 'must contain a secret field')]),
    ]),
    ...visible.flatMap(([name, template]) => [
      ...unknownNames(template, known, [...path, name]),
      ...sentSecrets(template, isSecret, [...path, name]),
    ]),
    ...(scheme.type === 'hmac' ? hmacProblems(scheme, { known, isSecret }, path) : []),
  ]
}

/** Templates of the keys of signatures, and of what is sent beside them. */
const templatesOf = (scheme: SignatureScheme): Record<'secrets' | 'visible', [string, string][]> => {
  if (scheme.type === 'hmac') return { secrets: [['secret', scheme.secret]], visible: [] }
  if (scheme.type === 'wsse')
    return { secrets: [['secret', scheme.secret]], visible: [['username', scheme.username]] }
  const { consumer_key, consumer_secret, token, token_secret, realm = '' } = scheme
  return {
    secrets: [
      ['consumer_secret', consumer_secret],
      ['token_secret', token_secret],
    ],
    visible: [
      ['consumer_key', consumer_key],
      ['token', token],
      ['realm', realm],
    ],
  }
}

type Names = { known: ReadonlySet<string>; isSecret: (name: string) => boolean }

const hmacProblems = (
  { parts, headers }: Extract<SignatureScheme, { type: 'hmac' }>,
  { known, isSecret }: Names,
  path: Step[],
): Problem[] => {
  const at = [...path, 'headers']
  return [
    ...parts.flatMap((part, index) => {
      if (typeof part === 'string') return []
      const inPart = [...path, 'parts', index]
      return [
        ...unknownNames(part.text, known, [...inPart, 'text']),
        ...((part.header === undefined) === (part.text === undefined)
          ? [problem(inPart, 'must contain either header or text')]
          : []),
      ]
    }),
    ...headerProblems(headers, at),
    ...unknownNames(headers, new Set([...known, ...SIGNED_VALUES]), at),
    ...sentSecrets(headers, isSecret, at),
    ...(namesIn(headers).includes('signature') ? [] : [problem(at, 'must contain {signature}')]),
    ...(['timestamp', 'nonce'] as const)
      .filter(name => parts.includes(name) && !namesIn(headers).includes(name))
      .map(name => problem(at, `must contain {${name}}, because it is signed`)),
  ]
}

/** Requests would carry the secret that they are signed with. */
const sentSecrets = (template: unknown, isSecret: (name: string) => boolean, path: Step[]): Problem[] =>
  namesIn(template)
    .filter(isSecret)
    .map(name => problem(path, `{${name}} is secret, so it must not be sent`))
