import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { WebhookEvent } from '@carabiner/contract'
import type { TestService } from './test-service.ts'

export type StreamedEvent = { id: string | null; event: WebhookEvent }

/** Reads the stream of events, as an EventSource does. */
export const openEvents = async (t: TestService, key: string, lastEventId?: string) => {
  const received: StreamedEvent[] = []
  let position: string | null = null
  let text = ''
  let ended = false
  const request = httpRequest(`${t.baseUrl}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end()
  })
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const id = /^id: (.*)$/m.exec(part)?.[1] ?? null
      const data = /^data: (.*)$/m.exec(part)?.[1]
      position = id ?? position
      if (data !== undefined) received.push({ id, event: JSON.parse(data) })
    }
  })
  for (const end of ['end', 'close', 'error']) response.on(end, () => (ended = true))
  request.on('error', () => undefined)
  return {
    status: response.statusCode,
    received,
    position: () => position,
    hasEnded: () => ended,
    close: () => request.destroy(),
  }
}
