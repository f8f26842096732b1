import {
  type ConnectorFile,
  type ConnectorSite,
  isFormMethod,
  methodOf,
  oauthMethod,
} from '@carabiner/contract'
import { namesIn } from '../../../upstream/templates/template.ts'
import { addressProblems } from './address-rules.ts'
import { awsSignatureProblems } from './aws-signature-rules.ts'
import { type Problem, problem, repeated, type Step } from './connector-problem.ts'
import { identityProblems } from './identity-rules.ts'
import { inputSchemaProblems } from './input-schema-rules.ts'
import { lifetimeProblems } from './lifetime-rules.ts'
import { oauthHostProblems } from './oauth-host-rules.ts'
import { oauth1Problems } from './oauth1-rules.ts'
import { optionalFieldProblems } from './optional-field-rules.ts'
import { signatureProblems } from './signature-rules.ts'
import {
  enteredNames,
  headerProblems,
  keyFieldProblems,
  patternProblems,
  tenantNames,
  unknownNames,
} from './template-rules.ts'
import { tenantProblems } from './tenant-rules.ts'
import { tokenRequestProblems } from './token-request-rules.ts'
import { toolProblems } from './tool-rules.ts'

/** Checks that a schema cannot express: that the parts of a file are consistent. The file has passed the schema. */
export const connectorProblems = (file: ConnectorFile): Problem[] => [
  ...methodProblems(file),
  ...addressProblems(file),
  ...oauthHostProblems(file),
  ...keyProblems(file),
  ...tokenRequestProblems(file),
  ...awsSignatureProblems(file),
  ...signatureProblems(file),
  ...optionalFieldProblems(file),
  ...oauth1Problems(file),
  ...oauthProblems(file),
  ...lifetimeProblems(file),
  ...identityProblems(file),
  ...tenantProblems(file),
  ...headerProblems(file.headers, ['headers']),
  ...unknownNames(file.headers, new Set(tenantNames(file)), ['headers']),
  ...errorProblems(file),
  ...inputSchemaProblems(file),
  ...file.tools.flatMap((tool, index) => toolProblems(file, tool, index)),
]

const methodProblems = (file: ConnectorFile): Problem[] => {
  const problems: Problem[] = []
  const types = file.authorization.map(({ type }) => type)
  if (new Set(types).size < types.length)
    problems.push(problem(['authorization'], 'contains a duplicate method'))
  else if (file.authorization.filter(isFormMethod).length > 1)
    problems.push(problem(['authorization'], 'must contain at most one method with a form'))
  if (types.length === 0 && !file.mcp)
    problems.push(
      problem(
        ['authorization'],
        'must contain a method, unless mcp gives the address of the provider’s own server',
      ),
    )
  if (types.length > 0 && !file.identity && !file.mcp)
    problems.push(problem([], 'identity is missing: the request that returns the account of a credential'))
  if (file.mcp && file.headers)
    problems.push(problem(['headers'], 'must not be set with mcp: they are for the requests of tools'))
  if (file.mcp && file.tools.length > 0)
    problems.push(problem(['tools'], 'must be empty if mcp is set: the tools come from that server'))
  return problems
}

const errorProblems = ({ errors, tools }: ConnectorFile): Problem[] => {
  const { unauthorized = [], revoked = [], insufficient_scope = [], code } = errors ?? {}
  const problems = [...revoked, ...unauthorized, ...insufficient_scope].flatMap((value, index, all) =>
    all.indexOf(value) < index ? [problem(['errors'], `${value} has two meanings`)] : [],
  )
  const isRead = code !== undefined || tools.some(({ result }) => result?.error !== undefined)
  if (revoked.length > 0 && !isRead)
    problems.push(problem(['errors', 'revoked'], 'is not read without code: the location of the error value'))
  return problems
}

const keyProblems = (file: ConnectorFile): Problem[] => {
  const method = methodOf(file, 'api_key')
  if (!method) return []
  const path: Step[] = ['authorization', file.authorization.indexOf(method)]
  const names = method.fields.map(({ name }) => name)
  const known = new Set([...names, ...enteredNames(file)])
  const problems = [
    ...headerProblems(method.headers, [...path, 'headers']),
    ...unknownNames(method.headers, known, [...path, 'headers']),
    ...unknownNames(method.basic, known, [...path, 'basic']),
    ...repeated(names, [...path, 'fields']),
  ]
  if (!method.headers && !method.basic)
    problems.push(problem(path, 'must contain headers or basic: how the key is sent'))
  if (!method.fields.some(({ secret }) => secret))
    problems.push(problem([...path, 'fields'], 'must contain a secret field'))
  const used = new Set(namesIn([method.headers, method.basic]))
  for (const [index, field] of method.fields.entries()) {
    const { name, pattern, choices } = field
    problems.push(...keyFieldProblems(field, [...path, 'fields', index]))
    if (choices)
      problems.push(problem([...path, 'fields', index, 'choices'], 'is only allowed for fields of tenant'))
    if (!used.has(name))
      problems.push(problem([...path, 'fields', index, 'name'], `{${name}} is not used in any header`))
    problems.push(...patternProblems(pattern, [...path, 'fields', index, 'pattern']))
  }
  return problems
}

const oauthProblems = (file: ConnectorFile): Problem[] => {
  const method = oauthMethod(file)
  if (!method) return []
  const path: Step[] = ['authorization', file.authorization.indexOf(method)]
  const atStart = new Set(['client_id', ...enteredNames(file)])
  const later = new Set(['token', 'client_id', 'client_secret', ...tenantNames(file)])
  const { token_request, revocation, learned_values: learnedValues = [], site } = method
  return [
    ...repeated(
      method.scopes.map(({ name }) => name),
      [...path, 'scopes'],
    ),
    ...repeated(
      learnedValues.map(({ name }) => name),
      [...path, 'learned_values'],
    ),
    ...siteProblems(file, site, [...path, 'site']),
    ...headerProblems(method.headers, [...path, 'headers']),
    ...unknownNames(method.headers, new Set(['token']), [...path, 'headers']),
    ...unknownNames(method.extra_authorization_parameters, atStart, [
      ...path,
      'extra_authorization_parameters',
    ]),
    ...headerProblems(token_request?.headers, [...path, 'token_request', 'headers']),
    ...unknownNames([token_request?.headers, token_request?.parameters], atStart, [...path, 'token_request']),
    ...headerProblems(revocation?.headers, [...path, 'revocation', 'headers']),
    ...unknownNames([revocation?.headers, revocation?.body], later, [...path, 'revocation']),
    ...learnedValues.flatMap(({ pattern }, index) =>
      patternProblems(pattern, [...path, 'learned_values', index, 'pattern']),
    ),
  ]
}

const siteProblems = (file: ConnectorFile, site: ConnectorSite | undefined, path: Step[]): Problem[] => {
  if (!site) return []
  const used = namesIn(file)
  const known = tenantNames(file)
  const values = [
    { ...site, at: path },
    ...(site.sets ?? []).map((value, index) => ({ ...value, at: [...path, 'sets', index] })),
  ]
  return values.flatMap(({ name, pattern, at }) => [
    ...(known.indexOf(`tenant.${name}`) === known.lastIndexOf(`tenant.${name}`)
      ? []
      : [problem([...at, 'name'], `${name} is also a tenant field or a learned value`)]),
    ...(used.includes(`tenant.${name}`)
      ? []
      : [problem([...at, 'name'], `{tenant.${name}} is not used in any address`)]),
    ...patternProblems(pattern, [...at, 'pattern']),
  ])
}
