import { setTimeout as delay } from 'node:timers/promises'

const PAUSE_MS = 20
/** Clients wait for a part of `Retry-After`, so that the end of an outage is noticed soon. */
const RETRY_DELAY_MS = 200
const REQUEST_TIMEOUT_MS = 60_000

export type Target = { baseUrls: string[]; key: string; userId: string; packId: string; tool: string }

/** Writes whose success was answered. */
export type Acknowledged = { linkTokens: string[]; calls: string[]; confirmedUsers: string[] }

export type FailoverLoad = {
  acknowledged: Acknowledged
  /** Times of acknowledged writes, in milliseconds of `performance.now()`. */
  times: number[]
  unexpected: string[]
  /** Requests that were answered with 503. */
  unavailable: number
  /** Codes to confirm, with their users. */
  codes: { code: string; userId: string }[]
  stop(): Promise<void>
}

type Answer = { status: number; text: string; requestId: string; hasRetryAfter: boolean }

/** Mints, confirms and calls tools at all nodes in turn, until it is stopped. */
export const startFailoverLoad = ({ baseUrls, key, userId, packId, tool }: Target): FailoverLoad => {
  const stopping = new AbortController()
  const load: FailoverLoad = {
    acknowledged: { linkTokens: [], calls: [], confirmedUsers: [] },
    times: [],
    unexpected: [],
    unavailable: 0,
    codes: [],
    stop: async () => {
      stopping.abort()
      await Promise.all(clients)
    },
  }
  let turn = 0
  const post = async (path: string, body: unknown, idempotencyKey?: string): Promise<Answer> => {
    const response = await fetch(`${baseUrls[turn++ % baseUrls.length]}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    return {
      status: response.status,
      text: await response.text(),
      requestId: response.headers.get('x-request-id') ?? '',
      hasRetryAfter: response.headers.has('retry-after'),
    }
  }
  const acknowledge = (add: () => void): void => {
    add()
    load.times.push(performance.now())
  }
  const expectUnavailable = (what: string, { status, text, hasRetryAfter }: Answer): void => {
    if (status === 503 && hasRetryAfter) load.unavailable++
    else load.unexpected.push(`${what}: ${status} ${text.slice(0, 300)}`)
  }

  const mint = async (): Promise<void> => {
    const answer = await post(`/registered-users/${userId}/link-token`, {})
    if (answer.status === 201)
      acknowledge(() => load.acknowledged.linkTokens.push(JSON.parse(answer.text).link_token))
    else expectUnavailable('mint', answer)
  }
  const call = async (): Promise<void> => {
    const params = { name: tool, arguments: {} }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await post(`/tool-packs/${packId}/registered-users/${userId}/mcp`, message)
    const result = answer.status === 200 ? JSON.parse(answer.text).result : null
    if (result?.isError === false) acknowledge(() => load.acknowledged.calls.push(answer.requestId))
    else expectUnavailable('call', answer)
  }
  /** Retries until the outcome is known. A code that was redeemed by a lost answer counts as confirmed. */
  const confirm = async (): Promise<void> => {
    const next = load.codes.shift()
    if (!next) return delay(RETRY_DELAY_MS)
    const idempotencyKey = crypto.randomUUID()
    for (let attempts = 0; ; attempts++) {
      const answer = await post('/link-token/confirm', { code: next.code }, idempotencyKey)
      const wasRedeemed = attempts > 0 && answer.text.includes('invalid_authorization_code')
      if (answer.status === 200 || wasRedeemed)
        return acknowledge(() => load.acknowledged.confirmedUsers.push(next.userId))
      if (!answer.text.includes('idempotency_in_progress')) expectUnavailable('confirm', answer)
      if (answer.status !== 503 && answer.status !== 409) return
      await delay(RETRY_DELAY_MS)
    }
  }

  const clients = [mint, mint, call, call, call, confirm].map(async work => {
    while (!stopping.signal.aborted) {
      await work().catch((error: Error) => load.unexpected.push(`no answer: ${error.message}`))
      await delay(PAUSE_MS)
    }
  })
  return load
}

/** The longest time between two acknowledged writes, in seconds. */
export const longestGap = (times: readonly number[]): number =>
  Math.max(0, ...times.map((time, index) => (index === 0 ? 0 : time - (times[index - 1] ?? time)))) / 1000
