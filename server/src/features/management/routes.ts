import { Type } from 'typebox'
import type { Api } from '../../edge/api.ts'
import { type AuthenticateKey, type AuthenticateSession, principalHook } from '../../edge/principal.ts'
import type { Log } from '../../platform/log.ts'
import { requireOrigin } from '../tools/mcp-endpoint/address.ts'
import { sendMcpError } from '../tools/mcp-protocol/body-errors.ts'
import { isTooDeep, parseRpc, RPC, rpcError } from '../tools/mcp-protocol/json-rpc.ts'
import { answerRequest } from './management-methods.ts'
import { prepareTools } from './prepare-tools.ts'

type Deps = {
  baseUrl: string
  version: string
  log: Log
  authenticateKey: AuthenticateKey
  authenticateSession: AuthenticateSession
  prefix: string
}

const Query = Type.Object({
  access: Type.Optional(Type.Union([Type.Literal('read'), Type.Literal('write')])),
})

/**
 * The MCP endpoint for coding agents and operators. Every tool is a request of the API with the caller's own credentials, so
 * authentication, permissions, validation and the audit trail are those of the API.
 */
export const managementEndpoint = (api: Api, deps: Deps): void => {
  const { baseUrl, version, prefix } = deps
  const tools = prepareTools(prefix)
  api.setErrorHandler(sendMcpError(deps))
  api.addHook('onRequest', async request => requireOrigin(request, baseUrl))
  api.addHook('onRequest', principalHook(deps))
  const config = { permission: 'read', group: 'any' } as const
  const info = { name: 'carabiner-management', title: 'Carabiner management', version }
  const inject = api.inject.bind(api)

  api.post('/mcp', { config, schema: { querystring: Query } }, async (http, reply) => {
    const reject = (message: string) => reply.code(400).send(rpcError(null, RPC.invalidRequest, message))
    if (isTooDeep(http.body)) return reject('This message is nested too deeply.')
    const parsed = parseRpc(http.body)
    if (parsed.kind === 'invalid') return reject('This is not a JSON-RPC 2.0 request.')
    // The endpoint sends no requests and has nothing to cancel.
    if (parsed.kind !== 'request') return reply.code(202).send()
    const access = http.query.access ?? 'read'
    return answerRequest(reply, { http, request: parsed.request, access, info, baseUrl, tools, inject })
  })
}
