import { type AwsSignatureMethod, type ConnectorFile, methodOf } from '@carabiner/contract'
import { originOf } from './connector-addresses.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'
import { enteredNames, keyFieldProblems, patternProblems, unknownNames } from './template-rules.ts'

/** The fields of an access key. Those that are `true` must be secret. */
const FIELDS: Record<string, boolean> = {
  access_key_id: false,
  secret_access_key: true,
  session_token: true,
}

export const awsSignatureProblems = (file: ConnectorFile): Problem[] => {
  const method = methodOf(file, 'aws_signature')
  if (!method) return []
  const path: Step[] = ['authorization', file.authorization.indexOf(method)]
  return [
    ...(file.mcp ? [problem([...path, 'type'], 'cannot sign the requests of an MCP server')] : []),
    ...fieldProblems(method, path),
    ...endpointProblems(file, method, path),
  ]
}

const fieldProblems = ({ fields }: AwsSignatureMethod, path: Step[]): Problem[] => [
  ...['access_key_id', 'secret_access_key']
    .filter(required => !fields.some(({ name, optional }) => name === required && !optional))
    .map(required =>
      problem([...path, 'fields'], `must contain a field named ${required} that is not optional`),
    ),
  ...fields.flatMap((field, index) => {
    const { name, secret, pattern, choices } = field
    const at = [...path, 'fields', index]
    if (!Object.hasOwn(FIELDS, name))
      return [problem([...at, 'name'], `must be one of ${Object.keys(FIELDS).join(', ')}`)]
    return [
      ...(FIELDS[name] && !secret ? [problem([...at, 'secret'], 'must be true')] : []),
      ...(fields.findIndex(other => other.name === name) < index
        ? [problem([...at, 'name'], `${name} is listed twice`)]
        : []),
      ...(choices ? [problem([...at, 'choices'], 'is only allowed for fields of tenant')] : []),
      ...keyFieldProblems(field, at),
      ...patternProblems(pattern, [...at, 'pattern']),
    ]
  }),
]

/** A request to an origin without an endpoint could not be signed. */
const endpointProblems = (
  file: ConnectorFile,
  { endpoints }: AwsSignatureMethod,
  path: Step[],
): Problem[] => {
  const signed = new Set(endpoints.map(({ origin }) => originOf(origin)))
  const origins = file.credential_origins.map(originOf)
  const known = new Set(enteredNames(file))
  return [
    ...origins
      .filter(origin => !signed.has(origin))
      .map(origin => problem([...path, 'endpoints'], `must contain the origin ${origin}`)),
    ...endpoints.flatMap(({ origin, region }, index) => [
      ...(origins.includes(originOf(origin))
        ? []
        : [problem([...path, 'endpoints', index, 'origin'], 'is not one of credential_origins')]),
      ...unknownNames(region, known, [...path, 'endpoints', index, 'region']),
    ]),
  ]
}
