import type { PolicyHookRequest, WebhookEvent } from './api-types.ts'
import {
  importWebhookKey,
  readSignedHeaders,
  verifySignature,
  WebhookError,
  type WebhookHeaders,
} from './webhook-signature.ts'

/** The body of a request as it arrived. A body that was parsed and serialized again has other bytes. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/** A batch has at most 1 MB. The limit protects against small bodies that decompress to large ones. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/**
 * Verifies a webhook and returns its event. `secret` is the secret (`whsec_…`) or the public key (`whpk_…`) of the endpoint. Throws a
 * WebhookError if the request must not be trusted.
 */
export const verifyWebhook = async (
  headers: WebhookHeaders,
  body: WebhookBody,
  secret: string,
  now: number = Date.now(),
): Promise<WebhookEvent> => parseEvent(await verifiedText(headers, toBytes(body), secret, now))

/**
 * Verifies a request to the hook of a policy rule and returns it. `secret` is the secret (`whsec_…`) of the rule. Throws a WebhookError if the
 * request must not be trusted.
 */
export const verifyPolicyHook = async (
  headers: WebhookHeaders,
  body: WebhookBody,
  secret: string,
  now: number = Date.now(),
): Promise<PolicyHookRequest> => {
  const request = parseSigned(await verifiedText(headers, toBytes(body), secret, now))
  if (request.type !== 'policy.hook') throw new WebhookError('body_invalid')
  return request as PolicyHookRequest
}

/**
 * Verifies a webhook of an endpoint with the format `batch`, and returns its events. The body may be compressed with gzip, as it is
 * sent, or decompressed already.
 */
export const verifyWebhookBatch = async (
  headers: WebhookHeaders,
  body: WebhookBody,
  secret: string,
  now: number = Date.now(),
): Promise<WebhookEvent[]> => {
  const bytes = toBytes(body)
  const text = await verifiedText(headers, isGzip(bytes) ? () => gunzip(bytes) : bytes, secret, now)
  return text.split('\n').map(parseEvent)
}

/** The signature is that of the body before compression. */
const verifiedText = async (
  headers: WebhookHeaders,
  body: Uint8Array | (() => Promise<Uint8Array>),
  secret: string,
  now: number,
): Promise<string> => {
  const key = await importWebhookKey(secret)
  const signed = readSignedHeaders(headers, now)
  const bytes = typeof body === 'function' ? await body() : body
  await verifySignature(signed, bytes, key)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new WebhookError('body_invalid', error)
  }
}

const toBytes = (body: WebhookBody): Uint8Array => {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  // `instanceof` is false for a buffer of another realm.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  throw new TypeError('body must be the body as it arrived, as a string or bytes. It was parsed already.')
}

const parseEvent = (text: string): WebhookEvent => parseSigned(text) as WebhookEvent

type Signed = { id: string; type: string }

const parseSigned = (text: string): Signed => {
  let content: Partial<Signed> | null
  try {
    content = JSON.parse(text) as Partial<Signed> | null
  } catch (error) {
    throw new WebhookError('body_invalid', error)
  }
  if (typeof content?.id !== 'string' || typeof content.type !== 'string')
    throw new WebhookError('body_invalid')
  return content as Signed
}

/** No JSON starts with these bytes, so frameworks that decompress bodies and those that do not are told apart. */
const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

const gunzip = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const reader = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new WebhookError('body_invalid', error)
    })
    if (done) break
    length += value.length
    if (length > MAX_BATCH_BYTES) {
      await reader.cancel()
      throw new WebhookError('body_too_large')
    }
    chunks.push(value)
  }
  const joined = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.length
  }
  return joined
}
