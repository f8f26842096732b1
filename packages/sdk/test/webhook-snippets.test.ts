import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exampleEvent, type WebhookEvent } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import type { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { buildPackages } from '../../../scripts/build-packages.ts'
import { writeWebhookSnippets } from './webhook-snippets.ts'

/** Runs the receivers of docs/guides/webhooks.md against the built package. */
const folder = join(import.meta.dirname, `../../../.cache/webhook-snippets-${process.pid}`)
const secret = 'whsec_c2VjcmV0LW9mLXRoZS1lbmRwb2ludA=='

type Receive = (request: Request) => Promise<Response>
let files: ReturnType<typeof writeWebhookSnippets>
let queue: WebhookEvent[]
const opened = new AsyncDisposableStack()

before(async () => {
  await buildPackages()
  files = writeWebhookSnippets(folder)
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  process.env['WEBHOOK_SECRET'] = secret
  queue = ((await import(join(folder, 'enqueue.ts'))) as { queue: WebhookEvent[] }).queue
})
after(() => opened.disposeAsync())

/** Sends the request over a socket to a server with this listener. */
const served = async (listener: RequestListener): Promise<Receive> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return async request =>
    fetch(`http://127.0.0.1:${port}/webhooks`, {
      method: 'POST',
      headers: request.headers,
      body: await request.arrayBuffer(),
    })
}

const start: Record<keyof typeof files, () => Promise<Receive>> = {
  express: async () => served(((await import(files.express)) as { app: RequestListener }).app),
  fastify: async () => {
    const { app } = (await import(files.fastify)) as { app: FastifyInstance }
    await app.ready()
    return served(app.routing.bind(app))
  },
  next: async () => ((await import(files.next)) as { POST: Receive }).POST,
  hono: async () => {
    const { app } = (await import(files.hono)) as { app: Hono }
    return async request => app.fetch(request)
  },
}

for (const name of ['express', 'fastify', 'next', 'hono'] as const)
  test(`webhook receiver for ${name}: accepts a signed request and rejects a changed one`, async () => {
    const receive = await start[name]()
    const event = exampleEvent('credential.needs_reauth')
    // Spaces and the order of keys would be lost if the body was parsed and serialized again.
    const text = JSON.stringify(event, null, 2)
    const sentAt = new Date()
    const signed = {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(event.id, sentAt, text),
    }
    const send = async (body: string, headers: Record<string, string> = signed) => {
      const request = new Request('https://app.example.com/webhooks', { method: 'POST', headers, body })
      const response = await receive(request)
      return [response.status, await response.text()]
    }
    queue.length = 0
    assert.deepEqual(await send(text), [204, ''])
    assert.deepEqual(queue, [event])
    assert.deepEqual(await send(text.replace('revoked', 'expired')), [400, 'signature_mismatch'])
    assert.deepEqual(await send('{'), [400, 'signature_mismatch'])
    const { 'webhook-signature': removed, ...unsigned } = signed
    assert.ok(removed)
    assert.deepEqual(await send(text, unsigned), [400, 'header_missing'])
    assert.equal(queue.length, 1)
  })
