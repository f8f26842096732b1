import { HANDSHAKE_REVISIONS, SERVER_INFO_META } from '../../upstream/mcp-client/revision.ts'
import type { Envelope } from './envelope.ts'
import { type RpcAnswer, type RpcRequest, rpcResult } from './json-rpc.ts'

export type ServerInfo = { name: string; title: string; version: string }

type Received = { envelope: Envelope; request: RpcRequest }

/** 2026-07-28: every result carries its type and the server's info. */
export const answerWith = (
  info: ServerInfo,
  { envelope, request }: Received,
  result: object,
  meta = {},
): RpcAnswer =>
  rpcResult(
    request.id,
    envelope.stateless
      ? { resultType: 'complete', ...result, _meta: { [SERVER_INFO_META]: info, ...meta } }
      : result,
  )

/** The revision that `initialize` requests, or the latest one. */
export const chooseRevision = (requested: unknown): string =>
  HANDSHAKE_REVISIONS.find(known => known === requested) ?? (HANDSHAKE_REVISIONS[0] as string)

/** Private to the caller, and outdated as soon as something changes. */
export const CACHING = { ttlMs: 0, cacheScope: 'private' }
