import { type ConnectorFile, methodOf } from '@carabiner/contract'
import { type Problem, problem, type Step } from './connector-problem.ts'
import { unknownNames } from './template-rules.ts'

export const oauth1Problems = (file: ConnectorFile): Problem[] => {
  const method = methodOf(file, 'oauth1')
  if (!method) return []
  const path: Step[] = ['authorization', file.authorization.indexOf(method)]
  const parameters = method.extra_authorization_parameters
  return [
    ...(file.mcp ? [problem([...path, 'type'], 'cannot sign the requests of an MCP server')] : []),
    ...(file.authorization.some(({ type }) => type === 'oauth2')
      ? [problem(['authorization'], 'must contain at most one of oauth1 and oauth2')]
      : []),
    ...unknownNames(parameters, new Set(['callback']), [...path, 'extra_authorization_parameters']),
    ...file.tools.flatMap(({ scopes }, index) =>
      scopes.length > 0
        ? [problem(['tools', index, 'scopes'], 'must be empty: OAuth 1.0a has no scopes')]
        : [],
    ),
  ]
}
