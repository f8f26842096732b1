import { callBounds } from '@carabiner/contract'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { readPackHandle } from '../../../core/pack-handle.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf, type Token } from '../../../core/token.ts'
import { isUuid } from '../../../core/uuid.ts'
import { bearerToken, readBearer } from '../../../edge/principal.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { RequestHeaders } from '../../metering/records/caller-headers.ts'
import { tokenHolderStore } from '../admission/token-holder-store.ts'

export const Path = Type.Object({ pack: Type.String(), user: Type.String() })
export const HandlePath = Type.Object({ handle: Type.String() })
const Flag = Type.Union([Type.Literal('true'), Type.Literal('false')])
export const Query = Type.Object({
  connectors: Type.Optional(Type.String({ maxLength: 2048 })),
  authenticated_only: Type.Optional(Flag),
  elicitation: Type.Optional(Type.Literal('url')),
  wait: Type.Optional(Type.String({ pattern: '^\\d{1,4}$' })),
})

/** The URL of a request and its options. */
export type Address = {
  keyHash: Buffer
  registeredUserId: string
  toolPackId: string
  requestId: string
  /** `?connectors=a,b` */
  only: string[] | null
  authenticatedOnly: boolean
  elicitation: boolean
  waitSeconds: number
  headers: RequestHeaders
}

/** `sessionHash`: of the session ID, or of an empty text for a client without a session. */
export type SessionAddress = Address & { sessionHash: Buffer }

/** "Security": rejects requests from browser pages, which prevents DNS rebinding. */
export const requireOrigin = ({ headers: { origin } }: FastifyRequest, baseUrl: string): void => {
  if (origin === undefined || origin === new URL(baseUrl).origin) return
  const { hostname } = URL.parse(origin) ?? { hostname: '' }
  if (!isLoopbackHost(hostname) || !isLoopbackHost(new URL(baseUrl).hostname))
    throw new Refusal('foreign_origin')
}

const parseKey = (key: string): Token | null =>
  parseToken('productionKey', key) ?? parseToken('testKey', key) ?? parseToken('mcpKey', key)

export const routingCodeOfKey = (request: FastifyRequest): string | null => {
  const token = parseKey(bearerToken(request))
  return token && routingCodeOf(token)
}

export const readAddress = (request: FastifyRequest): Address => {
  const token = parseKey(bearerToken(request))
  if (!token) throw new Refusal('invalid_api_key', { param: 'Authorization' })
  // Canonical spelling: limits and wake-ups are keyed by it.
  const [pack, user] = [lowerCase(request, 'pack'), lowerCase(request, 'user')]
  if (!isUuid(user)) throw new Refusal('registered_user_not_found')
  if (!isUuid(pack)) throw new Refusal('tool_pack_not_found')
  return { keyHash: hashToken(token), registeredUserId: user, toolPackId: pack, ...readOptions(request) }
}

const readOptions = (
  request: FastifyRequest,
): Omit<Address, 'keyHash' | 'registeredUserId' | 'toolPackId'> => {
  const query = request.query as Record<'connectors' | 'authenticated_only' | 'elicitation' | 'wait', string>
  const waitSeconds = Number(query.wait ?? 0)
  if (waitSeconds > callBounds.waitSeconds)
    throw new Refusal('invalid_request', {
      param: 'wait',
      message: `"wait" must be at most ${callBounds.waitSeconds} seconds.`,
    })
  return {
    only: query.connectors?.split(',').filter(Boolean) ?? null,
    authenticatedOnly: query.authenticated_only === 'true',
    elicitation: query.elicitation === 'url',
    waitSeconds,
    requestId: request.id,
    headers: request.headers,
  }
}

const lowerCase = ({ params }: FastifyRequest, name: 'pack' | 'user'): string =>
  (params as Record<string, string>)[name]?.toLowerCase() ?? ''

/**
 * The address of a signed-in user: the access token determines the user. It must have been issued for this very address (RFC 8707). The
 * statement that admits the call checks it again, together with everything else.
 */
export const readTokenAddress = async (db: Queryable, request: FastifyRequest): Promise<Address> => {
  const pack = readPackHandle((request.params as { handle: string }).handle)
  if (!pack) throw new Refusal('tool_pack_not_found')
  const token = parseToken('accessToken', readBearer(request) ?? '')
  const keyHash = token && hashToken(token)
  const holder = keyHash && (await tokenHolderStore.find(db, keyHash))
  if (!holder || holder.toolPackId !== pack.toolPackId || holder.mode !== pack.mode)
    throw new Refusal('invalid_access_token', { param: 'Authorization' })
  return {
    keyHash,
    registeredUserId: holder.registeredUserId,
    toolPackId: holder.toolPackId,
    ...readOptions(request),
  }
}
