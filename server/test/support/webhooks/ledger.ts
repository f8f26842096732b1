import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { WebhookEvent } from '@carabiner/contract'
import { Webhook } from 'standardwebhooks'

/** What a receiver has received. An event counts as received when the receiver has answered 200. */
export type Ledger = AsyncDisposable & {
  url: string
  /** Set when the endpoint has been created. Until then every webhook is a violation. */
  secret: string | null
  /** Milliseconds since 1970 of the first arrival of each event, by its ID. */
  arrivals: Map<string, number>
  /** Milliseconds from each event to its first arrival, in the order of arrival. */
  lags: number[]
  requests: number
  /** Events that were answered with 200 again. */
  repeats: number
  violations: string[]
}

/** How a receiver answers now. `timeout`: it does not answer. `reset`: it closes the connection. */
export type Behavior = 'accept' | 'fail' | 'timeout' | 'reset'

/** A receiver that verifies each webhook and keeps a record of it. Events of a user must arrive in order for the first time. */
export const startLedger = async (nextBehavior: () => Behavior): Promise<Ledger> => {
  const lastSequence = new Map<string, number>()
  const server = createServer((request, response) => {
    receive(request, response).catch(() => request.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ledger: Ledger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    secret: null,
    arrivals: new Map(),
    lags: [],
    requests: 0,
    repeats: 0,
    violations: [],
    [Symbol.asyncDispose]: () => close(server),
  }

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    ledger.requests++
    const body = (await buffer(request)).toString('utf8')
    const event = verify(ledger, body, request)
    switch (nextBehavior()) {
      case 'accept':
        if (event) accept(event)
        response.end('ok')
        return
      case 'fail':
        response.writeHead(500).end('unavailable')
        return
      case 'reset':
        request.destroy()
        return
      case 'timeout':
        return
    }
  }

  const accept = (event: WebhookEvent): void => {
    if (ledger.arrivals.has(event.id)) {
      ledger.repeats++
      return
    }
    const now = Date.now()
    ledger.arrivals.set(event.id, now)
    ledger.lags.push(now - Date.parse(event.occurred_at))
    const { registered_user_id: userId, sequence } = event
    if (userId === null || sequence === null) return
    const last = lastSequence.get(userId) ?? 0
    if (sequence !== last + 1)
      ledger.violations.push(`event ${sequence} of user ${userId} arrived after event ${last}`)
    lastSequence.set(userId, sequence)
  }
  return ledger
}

const verify = (ledger: Ledger, body: string, { headers }: IncomingMessage): WebhookEvent | null => {
  try {
    return new Webhook(ledger.secret ?? '').verify(body, headers as Record<string, string>) as WebhookEvent
  } catch (error) {
    ledger.violations.push(`a webhook was not verified: ${String(error)}`)
    return null
  }
}

const close = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** Fails in another way after each number of accepted requests, for a few requests. */
export const flapping = (acceptedInARow: number): (() => Behavior) => {
  const phases = [
    ...Array<Behavior>(acceptedInARow).fill('accept'),
    ...Array<Behavior>(6).fill('fail'),
    ...Array<Behavior>(acceptedInARow).fill('accept'),
    ...Array<Behavior>(6).fill('reset'),
    ...Array<Behavior>(acceptedInARow).fill('accept'),
    ...Array<Behavior>(2).fill('timeout'),
  ]
  let requests = 0
  return () => phases[requests++ % phases.length] as Behavior
}
