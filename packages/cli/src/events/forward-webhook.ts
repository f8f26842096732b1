import { randomBytes } from 'node:crypto'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import { Webhook } from 'standardwebhooks'
import { causeOf } from '../api/api-client.ts'
import type { WebhookEvent } from '../api/sdk.ts'
import { UsageError } from '../terminal/output.ts'

/** As long as the service waits. */
const TIMEOUT_MS = 15_000

export type Receiver = { url: string; secret: string }
export type ReceiverResponse = {
  /** Null: there was no response. */
  status: number | null
  body: string
  /** Why there was no response. */
  error: string | null
  durationMs: number
}

export const isAccepted = ({ status }: ReceiverResponse): boolean =>
  status !== null && status >= 200 && status < 300

/** As for webhook endpoints, HTTP is allowed on this machine only: events contain personal data. */
export const readReceiverUrl = (text: string): string => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `--forward-to must be a URL such as http://localhost:3000/webhooks, and not "${text}".`,
    )
  if (url.username || url.password) throw new UsageError('--forward-to must not contain a user or password.')
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new UsageError(
      `--forward-to ${url.host}: events are sent over HTTP to this machine only (localhost, 127.0.0.1, [::1]). Use HTTPS.`,
    )
  return url.href
}

export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const readSecret = (text: string): string => {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new UsageError('--secret must be the secret of a webhook endpoint: whsec_ and base64.')
  return text
}

/** Sends an event once, signed as the service does. A receiver that is not running is a result, not an error. */
export const forwardWebhook = async (
  { url, secret }: Receiver,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<ReceiverResponse> => {
  const body = JSON.stringify(event)
  const sentAt = new Date()
  const startedAt = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAt)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        // A receiver that is restarted would leave a connection behind, on which the next event fails.
        connection: 'close',
        'webhook-id': event.id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(event.id, sentAt, body),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return { status: response.status, body: await response.text(), error: null, durationMs: durationMs() }
  } catch (error) {
    return { status: null, body: '', error: causeOf(error), durationMs: durationMs() }
  }
}
