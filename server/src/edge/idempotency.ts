import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DAY, SECOND } from '../core/duration.ts'
import { Refusal } from '../core/refusal.ts'
import {
  CLAIM_TTL_MS,
  fingerprintOf,
  hashIdempotencyKey,
  isIdempotencyKey,
} from '../platform/idempotency-key.ts'
import type { IdempotencyStore } from '../platform/idempotency-store.ts'
import { findValue } from './find-value.ts'

const RESPONSE_TTL_MS = DAY

declare module 'fastify' {
  interface FastifyContextConfig {
    /** As in the declaration of an operation. */
    idempotency?: false | number | 'of_call'
  }
  interface FastifyRequest {
    idempotencyClaim: Buffer | null
  }
}

/** `Idempotency-Key` on every POST: the same key and body return the same response; another body is a 409. */
export const applyIdempotencyKeys = (api: FastifyInstance, store: IdempotencyStore): void => {
  api.decorateRequest('idempotencyClaim', null)

  api.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key']
    const { idempotency } = request.routeOptions.config
    // A tool call evaluates its key itself.
    if (request.method !== 'POST' || key === undefined || idempotency === false || idempotency === 'of_call')
      return
    if (!isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' })
    const keyHash = hashIdempotencyKey(key)
    const claim = await store.claim(
      request.principal,
      keyHash,
      fingerprint(request, key),
      CLAIM_TTL_MS / SECOND,
    )
    if (claim.kind === 'claimed') {
      request.idempotencyClaim = keyHash
      return
    }
    if (claim.kind === 'other_request')
      throw new Refusal('idempotency_key_reused', { param: 'Idempotency-Key' })
    if (claim.kind === 'running')
      throw new Refusal('idempotency_in_progress', { param: 'Idempotency-Key', retryAfterSeconds: 1 })
    return reply
      .code(claim.status)
      .header('idempotency-replayed', 'true')
      .type('application/json; charset=utf-8')
      .serializer((text: unknown) => String(text))
      .send(claim.body)
  })

  api.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const keyHash = request.idempotencyClaim
    if (!keyHash) return payload
    request.idempotencyClaim = null
    if (reply.statusCode >= 500 || typeof payload !== 'string') {
      await store.release(request.principal, keyHash)
      return payload
    }
    const lifetime =
      typeof request.routeOptions.config.idempotency === 'number'
        ? request.routeOptions.config.idempotency
        : RESPONSE_TTL_MS
    await store.keep(request.principal, keyHash, {
      status: reply.statusCode,
      body: payload,
      registeredUserId: userOf(request, reply.statusCode, payload),
      seconds: lifetime / SECOND,
    })
    return payload
  })
}

// Both forms of a path are the same request.
const fingerprint = (request: FastifyRequest, key: string): Buffer =>
  fingerprintOf(key, [request.url.replace(/^\/api\/(v1\/)?/, '/').replace(/\/+$/, ''), request.body ?? {}])

/** The user that the response is about: deleting the user deletes the response. An error contains no user data. */
const userOf = ({ params, routeOptions }: FastifyRequest, status: number, payload: string): string | null => {
  if (status >= 400) return null
  const response = JSON.parse(payload) as Record<string, unknown>
  return findValue(routeOptions.config.operation?.registeredUser, { params, response })
}
