import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Dashboard, loaded } from '../../support/dashboard.ts'
import { type PageHealth, watchPage } from '../../support/page-health.ts'
import { createLinkedUser, LIST_NOTES } from '../../support/tool-calls.ts'
import type { Scope } from './scope.ts'

export type LiveTail = { health: PageHealth; calls: number; failed: number; seconds: number; maxRows: number }

const TICK_MS = 50
const MAX_IN_FLIGHT = 64
const SAMPLE_MS = 1_000
const HEAP_SAMPLE_MS = 5_000

/** Makes real tool calls at a constant rate, each at the MCP URL of a user, against the sandbox. */
const startCalls = (url: string, key: string, perSecond: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_IN_FLIGHT })
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: LIST_NOTES, arguments: { limit: 1 } },
  })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
  }
  const counts = { done: 0, failed: 0, inFlight: 0 }
  const call = (): void => {
    counts.inFlight++
    const end = (isOk: boolean): void => {
      counts.inFlight--
      counts[isOk ? 'done' : 'failed']++
    }
    request(url, { method: 'POST', agent, headers }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => end(response.statusCode === 200 && !text.includes('"isError":true')))
    })
      .on('error', () => end(false))
      .end(body)
  }
  const startedAt = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    while (sent < due && counts.inFlight < MAX_IN_FLIGHT) {
      call()
      sent++
    }
  }, TICK_MS)
  return {
    counts,
    seconds: () => (performance.now() - startedAt) / 1000,
    stop: async () => {
      clearInterval(timer)
      while (counts.inFlight > 0) await delay(TICK_MS)
      agent.destroy()
    },
  }
}

/** Follows the live tail while calls are made. */
export const followLiveTail = async (
  dashboard: Dashboard,
  scope: Scope,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<LiveTail> => {
  const { service } = dashboard
  const user = await createLinkedUser(service, { origin_user_id: 'caller' })
  const { page, open } = await dashboard.visit(scope)
  await open('/logs?live=on')
  await loaded(page)
  await page.getByText('Live.').waitFor()
  const path = `/api/v1/tool-packs/${service.organization.toolPackId}/registered-users/${user.id}/mcp`
  const calls = startCalls(service.baseUrl + path, service.organization.key, perSecond)
  // The list fills up first, and the page runs its code for the first time.
  while (calls.seconds() < 6) await delay(SAMPLE_MS)
  const watch = await watchPage(page)
  const end = calls.seconds() + seconds
  const [firstCount, firstSecond] = [calls.counts.done, calls.seconds()]
  let nextHeap = 0
  let maxRows = 0
  while (calls.seconds() < end) {
    await watch.countNodes()
    const rows = await page.getByRole('table', { name: 'Tool calls' }).getAttribute('aria-rowcount')
    maxRows = Math.max(maxRows, Number(rows) - 1)
    if (calls.seconds() >= nextHeap) {
      await watch.measureHeap()
      nextHeap = calls.seconds() + HEAP_SAMPLE_MS / 1000
    }
    await delay(SAMPLE_MS)
  }
  const [made, passed] = [calls.counts.done - firstCount, calls.seconds() - firstSecond]
  const health = await watch.end()
  await calls.stop()
  return { health, calls: made, failed: calls.counts.failed, seconds: passed, maxRows }
}
