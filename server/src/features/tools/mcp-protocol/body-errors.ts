import { describeError, type ErrorCode } from '@carabiner/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorObject, sendError, toRefusal } from '../../../edge/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { RPC, rpcError } from './json-rpc.ts'

/** Bodies that cannot be parsed. The error is a JSON-RPC response, as MCP clients expect. */
const BODY_ERRORS: { [code in ErrorCode]?: number } = {
  invalid_json: RPC.parseError,
  invalid_request: RPC.invalidRequest,
  body_too_large: RPC.invalidRequest,
  unsupported_media_type: RPC.invalidRequest,
}

/** Errors of the HTTP request at an MCP endpoint. */
export const sendMcpError =
  ({ baseUrl, log }: { baseUrl: string; log: Log }) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toRefusal(error)
    const code = BODY_ERRORS[refusal.code]
    if (code === undefined) return sendError(baseUrl, log)(error, request, reply)
    const details = errorObject(refusal, request.id, baseUrl)
    return reply.code(describeError(refusal.code).status).send(rpcError(null, code, refusal.message, details))
  }
