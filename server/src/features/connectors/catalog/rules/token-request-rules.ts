import {
  type ConnectorFile,
  certificateOf,
  methodOf,
  type TokenHttpRequest,
  type TokenRequestMethod,
} from '@carabiner/contract'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Problem, problem, repeated, type Step } from './connector-problem.ts'
import { headerProblems, patternProblems, tenantNames, unknownNames } from './template-rules.ts'

const NAME = /^[a-z][a-z0-9_]*$/
const KEY_TYPES = { RS256: 'rsa', PS256: 'rsa', ES256: 'p256', HS256: null } as const

export const tokenRequestProblems = (file: ConnectorFile): Problem[] => {
  const method = methodOf(file, 'token_request')
  if (!method) return []
  const path: Step[] = ['authorization', file.authorization.indexOf(method)]
  const inputs = inputNames(file, method)
  return [
    ...fieldProblems(method, path),
    ...certificateProblems(file, method, path),
    ...nameProblems(method, path),
    ...computedProblems(method, inputs, path),
    ...assertionProblems(method, inputs, path),
    ...method.requests.flatMap((request, index) =>
      requestProblems(method, request, inputs, [...path, 'requests', index]),
    ),
    ...tokenProblems(method, inputs, path),
    ...(method.requests.length > 0 && !method.token_origins
      ? [problem(path, 'token_origins is missing: the origins that token requests may be sent to')]
      : []),
  ]
}

const prefixed = (prefix: string, record: object | undefined): string[] =>
  Object.keys(record ?? {}).map(name => `${prefix}.${name}`)

const fieldNames = ({ fields }: TokenRequestMethod): string[] =>
  fields.flatMap(({ name, private_key }) => [name, ...Object.keys(private_key?.file?.values ?? {})])

/** Every name that a template of the method may contain, apart from those of an assertion's own. */
const inputNames = (file: ConnectorFile, method: TokenRequestMethod): string[] => [
  ...fieldNames(method),
  ...tenantNames(file),
  ...method.fields.flatMap(({ name, private_key }) => (private_key ? [`fingerprint.${name}`] : [])),
  ...certificateFields(method).flatMap(({ name }) => thumbprintNames(name)),
  'now.seconds',
  'now.milliseconds',
  'now.iso',
  'end.date',
  'random.id',
  ...prefixed('computed', method.computed),
  ...prefixed('assertion', method.assertions),
  ...method.requests.flatMap(({ values }) => prefixed('value', values)),
]

const fieldProblems = (method: TokenRequestMethod, path: Step[]): Problem[] => {
  const names = fieldNames(method)
  const templates = namesIn(method)
  const used = new Set([
    ...templates,
    ...Object.values(method.assertions ?? {}).map(({ key }) => key),
    ...certificateFields(method).flatMap(({ name, kind, keyName }) =>
      kind === 'client_certificate' || thumbprintNames(name).some(one => templates.includes(one))
        ? [name, keyName]
        : [keyName],
    ),
  ])
  return [
    ...repeated(names, [...path, 'fields']),
    ...(method.fields.some(({ secret }) => secret)
      ? []
      : [problem([...path, 'fields'], 'must contain a secret field')]),
    ...method.fields.flatMap(({ name, secret, pattern, choices, private_key }, index) => {
      const at = [...path, 'fields', index]
      return [
        ...(choices ? [problem([...at, 'choices'], 'is only allowed for fields of tenant')] : []),
        ...(used.has(name) ? [] : [problem([...at, 'name'], `{${name}} is not used`)]),
        ...(private_key && !secret ? [problem([...at, 'secret'], 'must be true for a private key')] : []),
        ...patternProblems(pattern, [...at, 'pattern']),
      ]
    }),
  ]
}

const certificateFields = ({ fields }: TokenRequestMethod) =>
  fields.flatMap(field => {
    const certificate = certificateOf(field)
    const kind: 'client_certificate' | 'certificate' = field.client_certificate
      ? 'client_certificate'
      : 'certificate'
    return certificate ? [{ ...field, kind, keyName: certificate.private_key }] : []
  })

const thumbprintNames = (name: string): string[] => [`x5t.${name}`, `x5t_s256.${name}`]

const certificateProblems = (file: ConnectorFile, method: TokenRequestMethod, path: Step[]): Problem[] => {
  const found = certificateFields(method)
  const presented = found.filter(({ kind }) => kind === 'client_certificate')
  const isKey = (name: string) => method.fields.some(field => field.name === name && field.private_key)
  return [
    ...(presented.length > 1
      ? [problem([...path, 'fields'], 'must contain at most one client_certificate')]
      : []),
    ...(presented.length > 0 && file.mcp
      ? [problem([...path, 'fields'], 'must not contain a client_certificate for an MCP server')]
      : []),
    ...found.flatMap(({ name, private_key, certificate, kind, keyName }) => {
      const at = [...path, 'fields', method.fields.findIndex(field => field.name === name)]
      return [
        ...(private_key ? [problem([...at, 'private_key'], `must not be set with ${kind}`)] : []),
        ...(certificate && kind === 'client_certificate'
          ? [problem([...at, 'certificate'], 'must not be set with client_certificate')]
          : []),
        ...(isKey(keyName)
          ? []
          : [problem([...at, kind, 'private_key'], 'must be the name of a field with private_key')]),
      ]
    }),
  ]
}

/** Names become placeholders. */
const nameProblems = (method: TokenRequestMethod, path: Step[]): Problem[] =>
  [
    { record: method.computed, at: [...path, 'computed'] },
    { record: method.assertions, at: [...path, 'assertions'] },
    ...method.requests.map(({ values }, index) => ({
      record: values,
      at: [...path, 'requests', index, 'values'],
    })),
  ].flatMap(({ record, at }) =>
    Object.keys(record ?? {})
      .filter(name => !NAME.test(name))
      .map(name => problem(at, `${name} is not a valid name: use lowercase letters, digits and _`)),
  )

/** A value can be computed from values before it. */
const computedProblems = (
  { computed = {} }: TokenRequestMethod,
  inputs: string[],
  path: Step[],
): Problem[] => {
  const entries = Object.entries(computed)
  return entries.flatMap(([name, rule], index) => {
    const later = new Set(entries.slice(index).map(([other]) => `computed.${other}`))
    const known = new Set(inputs.filter(input => !later.has(input) && !input.startsWith('assertion.')))
    const at = [...path, 'computed', name]
    return [
      ...unknownNames([rule.text, rule.key], known, at),
      ...(rule.hash && rule.hmac ? [problem(at, 'must contain either hash or hmac')] : []),
      ...((rule.hmac === undefined) === (rule.key === undefined)
        ? []
        : [problem(at, 'must contain hmac and key together')]),
    ]
  })
}

const assertionProblems = (method: TokenRequestMethod, inputs: string[], path: Step[]): Problem[] => {
  const known = new Set([
    ...inputs.filter(input => !input.startsWith('assertion.')),
    'jwt.issued_at',
    'jwt.expires_at',
    'jwt.id',
  ])
  return Object.entries(method.assertions ?? {}).flatMap(
    ([name, { algorithm, key, key_encoding, header, claims }]) => {
      const at = [...path, 'assertions', name]
      const field = method.fields.find(one => one.name === key)
      const type = KEY_TYPES[algorithm]
      return [
        ...unknownNames([header, claims], known, at),
        ...(field?.secret ? [] : [problem([...at, 'key'], 'must be the name of a secret field')]),
        ...(field && (field.private_key?.type ?? null) !== type
          ? [
              problem(
                [...at, 'key'],
                type
                  ? `${algorithm} needs a field with private_key of the type ${type}`
                  : 'HS256 needs a field without private_key',
              ),
            ]
          : []),
        ...(key_encoding && type ? [problem([...at, 'key_encoding'], 'is only allowed with HS256')] : []),
      ]
    },
  )
}

const requestProblems = (
  method: TokenRequestMethod,
  request: TokenHttpRequest,
  inputs: string[],
  path: Step[],
): Problem[] => {
  const { url, query, headers, basic, form, json, text, values = {} } = request
  const index = method.requests.indexOf(request)
  const later = new Set(method.requests.slice(index).flatMap(one => prefixed('value', one.values)))
  const known = new Set(inputs.filter(name => !later.has(name)))
  const bodies = [form, json, text].filter(body => body !== undefined)
  return [
    ...unknownNames([url, query, headers, basic, form, json, text], known, path),
    ...headerProblems(headers, [...path, 'headers']),
    ...(bodies.length > 1 ? [problem(path, 'must contain only one of form, json and text')] : []),
    ...Object.entries(values).flatMap(([name, rule]) => {
      if (typeof rule === 'string') return []
      const at = [...path, 'values', name]
      const places = [rule.at, rule.header, rule.cookie, rule.between].filter(place => place !== undefined)
      return [
        ...(places.length === 1 ? [] : [problem(at, 'must contain one of at, header, cookie and between')]),
        ...(rule.between && request.response !== 'text'
          ? [problem([...at, 'between'], 'is only allowed with the response text')]
          : []),
        ...(rule.address && rule.pattern === undefined
          ? [problem(at, 'needs a pattern, because it becomes part of addresses')]
          : []),
        ...patternProblems(rule.pattern, [...at, 'pattern']),
      ]
    }),
  ]
}

const tokenProblems = (method: TokenRequestMethod, inputs: string[], path: Step[]): Problem[] => {
  const { token, headers } = method
  const read = method.requests.flatMap(({ values }) => Object.keys(values ?? {}))
  const timing = [
    ['expires_in', token.expires_in?.value],
    ['expires_at', token.expires_at?.value],
  ] as const
  const inHeaders = inputs.filter(
    name => !/^(?:computed|assertion|now|end|random|fingerprint|x5t|x5t_s256)\./.test(name),
  )
  return [
    ...unknownNames(token.value, new Set(inputs), [...path, 'token', 'value']),
    ...(namesIn(token.value).some(name => /^(?:value|assertion|computed)\./.test(name))
      ? []
      : [
          problem(
            [...path, 'token', 'value'],
            'must contain a value of a response, an assertion or a computed value',
          ),
        ]),
    ...(token.expires_in && token.expires_at
      ? [problem([...path, 'token'], 'must contain only one of expires_in and expires_at')]
      : []),
    ...timing.flatMap(([name, value]) =>
      value === undefined || read.includes(value)
        ? []
        : [problem([...path, 'token', name, 'value'], `${value} is not among the values of a request`)],
    ),
    ...headerProblems(headers, [...path, 'headers'], { isSession: true }),
    ...unknownNames(headers, new Set(['token', ...inHeaders]), [...path, 'headers']),
    ...(headers && !namesIn(headers).includes('token')
      ? [problem([...path, 'headers'], 'must contain {token}')]
      : []),
  ]
}
