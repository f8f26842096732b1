import type { ConnectorToChoose } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { type RequestRules, rawRequestAddress } from '../../upstream/http/raw-request.ts'
import { findPatternProblem } from '../../upstream/http/request-path.ts'
import type { UsableConnector } from '../availability.ts'

export type RequestsToChoose = NonNullable<Exclude<ConnectorToChoose, string>['requests']>

/** Validates the raw requests that a pack allows for a connector. Default method: GET. */
export const readRequests = (
  connector: UsableConnector,
  { methods = ['GET'], paths }: RequestsToChoose,
  at: string,
): RequestRules => {
  if (connector.serverId || rawRequestAddress(connector) === null)
    throw new Refusal('invalid_tool_choice', {
      param: at,
      message: `${connector.name} has no raw requests: they exist only for connectors whose tools are HTTP requests, unless one of these is named "request".`,
    })
  for (const [index, pattern] of paths.entries()) {
    const problem = findPatternProblem(pattern)
    if (problem !== null)
      throw new Refusal('invalid_tool_choice', { param: `${at}.paths.${index}`, message: problem })
  }
  return { methods: [...new Set(methods)], paths }
}
