import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Signer, signatureHeaders } from '../../core/webhook-signature.ts'
import { type Egress, EgressError, type EgressStream } from '../../platform/egress/egress.ts'
import { storedRequestHeaders, storedResponseHeaders } from './attempt-headers.ts'
import type { Attempt } from './delivery-store.ts'
import { parseRetryAfter } from './retry-schedule.ts'

/** A longer response is read up to this size, and only its start is stored. */
const MAX_RESPONSE_BYTES = 64 * 1024
const STORED_RESPONSE_LENGTH = 1024

export type OutgoingWebhook = {
  url: string
  /** The header `webhook-id`, which is the same in all attempts. */
  id: string
  body: string
  format: 'single' | 'batch'
  signers: readonly Signer[]
  timeoutMs: number
}

/** `gone`: the receiver answered 410 and wants no more requests. */
export type SendOutcome = 'delivered' | 'failed' | 'gone'
export type SentWebhook = { outcome: SendOutcome; attempt: Attempt; retryAfterMs: number | null }

type ResponseOfAttempt = Pick<Attempt, 'response_status' | 'response_headers' | 'response_body' | 'error'>
const NO_RESPONSE = { response_status: null, response_headers: null, response_body: null }

/** Makes one attempt. Redirects are not followed, and count as failures. */
export const sendWebhook = async (egress: Egress, webhook: OutgoingWebhook): Promise<SentWebhook> => {
  const sentAt = new Date()
  const startedAt = performance.now()
  const encoded = await encode(webhook, sentAt)
  const attempt = (response: ResponseOfAttempt): Attempt => ({
    at: sentAt.toISOString(),
    duration_ms: Math.round(performance.now() - startedAt),
    request_headers: storedRequestHeaders(encoded.headers),
    ...response,
  })
  try {
    const response = await egress.stream({
      url: webhook.url,
      method: 'POST',
      timeoutMs: webhook.timeoutMs,
      ...encoded,
    })
    const { status, headers } = response
    const body = await readStart(response)
    return {
      outcome: status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'failed',
      attempt: attempt({
        response_status: status,
        response_headers: storedResponseHeaders(headers, webhook.signers),
        response_body: startOf(body, webhook.signers),
        error: null,
      }),
      retryAfterMs: parseRetryAfter(headers['retry-after']),
    }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return {
      outcome: 'failed',
      attempt: attempt({ ...NO_RESPONSE, error: error.message }),
      retryAfterMs: null,
    }
  }
}

/** The status decides whether the event was delivered, so the rest of a long response is not read. */
const readStart = async (response: EgressStream): Promise<Buffer> => {
  const read: Buffer[] = []
  let size = 0
  for await (const chunk of response.chunks()) {
    read.push(chunk)
    size += chunk.length
    if (size >= MAX_RESPONSE_BYTES) break
  }
  return Buffer.concat(read)
}

/** The signature is that of the body before compression. */
const encode = async (webhook: OutgoingWebhook, sentAt: Date) => {
  const signed = signatureHeaders({ id: webhook.id, sentAt, body: webhook.body }, webhook.signers)
  return webhook.format === 'single'
    ? { body: webhook.body, headers: { ...signed, 'content-type': 'application/json' } }
    : {
        body: await promisify(gzip)(webhook.body),
        headers: { ...signed, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
      }
}

/** A receiver that reports its settings may include the secret, which must not be stored. */
const startOf = (body: Buffer, signers: readonly Signer[]): string => {
  const text = signers.reduce((rest, signer) => signer.removeFrom(rest), body.toString('utf8'))
  const start = Buffer.from(text).subarray(0, STORED_RESPONSE_LENGTH).toString('utf8')
  // PostgreSQL cannot store a null character.
  return start.replaceAll('\0', '\uFFFD').toWellFormed()
}
