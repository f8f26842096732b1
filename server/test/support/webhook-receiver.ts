import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { WebhookEvent } from '@carabiner/contract'

export type ReceivedWebhook = {
  headers: IncomingHttpHeaders
  /** Uncompressed. */
  body: string
  events: WebhookEvent[]
}

/** Answers a webhook. Default: 200. */
type Answer = (webhook: ReceivedWebhook, response: ServerResponse) => void

export type WebhookReceiver = AsyncDisposable & {
  url: string
  received: ReceivedWebhook[]
  /** The events of all webhooks, in the order of their arrival. */
  events(): WebhookEvent[]
  answerWith(answer: Answer): void
}

/** An HTTP server of an organization that receives webhooks. */
export const startReceiver = async (): Promise<WebhookReceiver> => {
  const received: ReceivedWebhook[] = []
  let answer: Answer = (_, response) => void response.end('ok')
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await buffer(request)
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
    const events = body.split('\n').map(line => JSON.parse(line) as WebhookEvent)
    const webhook = { headers: request.headers, body, events }
    received.push(webhook)
    answer(webhook, response)
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    events: () => received.flatMap(({ events }) => events),
    answerWith: next => {
      answer = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
