import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyReply } from 'fastify'
import { createResponder, type McpResponder } from './response.ts'

/** A client that requests a stream and reads only after `read` is called. */
const openUnread = async () => {
  const opened = Promise.withResolvers<{ responder: McpResponder; raw: FastifyReply['raw'] }>()
  const app = Fastify()
  app.get('/', (request, reply) => {
    const responder = createResponder(request, reply)
    responder.begin()
    opened.resolve({ responder, raw: reply.raw })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n')
  let text = ''
  const read = () => socket.on('data', chunk => (text += String(chunk)))
  const close = async () => {
    socket.destroy()
    await app.close()
  }
  return { ...(await opened.promise), read, text: () => text, close }
}

test('MCP response: memory is bounded for a client that does not read; it gets the latest of each kind', async () => {
  const { responder, raw, read, text, close } = await openUnread()
  const token = 'x'.repeat(100_000)
  for (let progress = 1; progress <= 300; progress++) {
    responder.notify('notifications/progress', { token, progress })
    await delay(0)
  }
  responder.notify('notifications/tools/list_changed', {})
  assert.ok(raw.writableLength < 1_000_000, `${raw.writableLength} bytes are buffered`)
  read()
  while (!text().includes('list_changed')) await delay(5)
  assert.match(text(), /"progress":300\}/)
  responder.finish({ jsonrpc: '2.0', id: 1, result: {} })
  while (!text().includes('"result"')) await delay(5)
  await close()
})

test('MCP response: no notification is sent after the result', async () => {
  const { responder, read, text, close } = await openUnread()
  read()
  responder.finish({ jsonrpc: '2.0', id: 1, result: {} })
  responder.notify('notifications/progress', { progress: 1 })
  while (!text().includes('"result"')) await delay(5)
  await delay(20)
  assert.doesNotMatch(text(), /progress/)
  await close()
})
