import { SERVER_INFO_META } from '../../upstream/mcp-client/client-revisions.ts'
import type { Envelope } from './envelope.ts'
import { type RpcRequest, type RpcResponse, rpcResult } from './json-rpc.ts'

export type ServerInfo = { name: string; title: string; version: string }

type Received = { envelope: Envelope; request: RpcRequest }

export const resultResponse = (
  info: ServerInfo,
  { envelope, request }: Received,
  result: object,
  meta = {},
): RpcResponse =>
  rpcResult(request.id, envelope.revision.wrapResult(result, { [SERVER_INFO_META]: info, ...meta }))

/** `resultResponse` for a result that is serialized already. */
export const jsonResultResponse = (
  info: ServerInfo,
  { envelope, request }: Received,
  json: string,
): RpcResponse => ({
  jsonrpc: '2.0',
  id: request.id,
  resultJson: envelope.revision.wrapJson(json, { [SERVER_INFO_META]: info }),
})
