/** Why a webhook was rejected. */
export type WebhookErrorCode =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_invalid'
  | 'body_too_large'

const MESSAGES: Record<WebhookErrorCode, string> = {
  header_missing:
    'The request is not a webhook: webhook-id, webhook-timestamp or webhook-signature is missing.',
  timestamp_invalid: 'The webhook-timestamp header is not a number of seconds.',
  timestamp_too_old:
    'The webhook was sent more than 5 minutes ago. It may be a replay, or the clock of this machine is ahead.',
  timestamp_too_new: 'The webhook is more than 5 minutes in the future. Check the clock of this machine.',
  signature_mismatch:
    'No signature matches. Pass the body as it arrived, not parsed, and the secret of this endpoint.',
  body_invalid:
    'The body is not the expected JSON. Use verifyWebhookBatch for endpoints with the format batch, and verifyWebhook for others.',
  body_too_large: 'The decompressed body is too large to be a batch.',
}

/** The request must not be trusted. Respond with status 400. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, cause?: unknown) {
    super(MESSAGES[code], cause === undefined ? undefined : { cause })
    this.name = 'WebhookError'
    this.code = code
  }
}

/** The headers of a request: `Headers`, or an object as Node, Lambda and others have it. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type SignedHeaders = { id: string; timestamp: string; signatures: string[] }

const TOLERANCE_SECONDS = 5 * 60

/** Reads the headers of Standard Webhooks, and rejects a webhook that was not sent recently. */
export const readSignedHeaders = (headers: WebhookHeaders, now: number): SignedHeaders => {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signature = headerOf(headers, 'webhook-signature')
  if (!id || !timestamp || !signature) throw new WebhookError('header_missing')
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError('timestamp_invalid')
  const age = Math.floor(now / 1000) - Number(timestamp)
  if (age > TOLERANCE_SECONDS) throw new WebhookError('timestamp_too_old')
  if (age < -TOLERANCE_SECONDS) throw new WebhookError('timestamp_too_new')
  return { id, timestamp, signatures: signature.split(' ') }
}

const headerOf = (headers: WebhookHeaders, name: string): string | null => {
  if (isHeaders(headers)) return headers.get(name)
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return (typeof value === 'object' ? value.join(', ') : value) ?? null
}

const isHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function'

const PUBLIC_KEY_LENGTH = 32

type WebhookKey = {
  version: 'v1' | 'v1a'
  algorithm: string
  key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

/** `whsec_…`: HMAC-SHA256, `v1`. `whpk_…`: Ed25519, `v1a`. */
export const importWebhookKey = async (secret: string): Promise<WebhookKey> => {
  const [, prefix, encoded = ''] =
    /^(whsec|whpk)_([\w+/=-]+)$/.exec(typeof secret === 'string' ? secret.trim() : '') ?? []
  const bytes = decodeBase64(encoded)
  if (!prefix || !bytes?.length || (prefix === 'whpk' && bytes.length !== PUBLIC_KEY_LENGTH))
    throw new TypeError(
      'secret must be the secret (whsec_…) or the public key (whpk_…) of the webhook endpoint, or the secret of the policy rule.',
    )
  if (prefix === 'whpk') {
    const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
    return { version: 'v1a', algorithm: 'Ed25519', key }
  }
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  return { version: 'v1', algorithm: 'HMAC', key }
}

/** Throws unless one of the signatures is valid. During a rotation there are two. */
export const verifySignature = async (
  { id, timestamp, signatures }: SignedHeaders,
  body: Uint8Array,
  { version, algorithm, key }: WebhookKey,
): Promise<void> => {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  for (const each of signatures) {
    const signature = each.startsWith(`${version},`) ? decodeBase64(each.slice(version.length + 1)) : null
    // Web Crypto compares in constant time.
    if (signature && (await crypto.subtle.verify(algorithm, key, signature, signed))) return
  }
  throw new WebhookError('signature_mismatch')
}

const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
