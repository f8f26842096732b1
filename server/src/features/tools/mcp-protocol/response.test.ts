import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyReply } from 'fastify'
import { createAnswerer, type McpAnswerer } from './response.ts'

/** A client that requests a stream and reads only after `read` is called. */
const openUnread = async () => {
  const opened = Promise.withResolvers<{ answerer: McpAnswerer; raw: FastifyReply['raw'] }>()
  const app = Fastify()
  app.get('/', (request, reply) => {
    const answerer = createAnswerer(request, reply)
    answerer.begin()
    opened.resolve({ answerer, raw: reply.raw })
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
  const { answerer, raw, read, text, close } = await openUnread()
  const token = 'x'.repeat(100_000)
  for (let progress = 1; progress <= 300; progress++) {
    answerer.notify('notifications/progress', { token, progress })
    await delay(0)
  }
  answerer.notify('notifications/tools/list_changed', {})
  assert.ok(raw.writableLength < 1_000_000, `${raw.writableLength} bytes are buffered`)
  read()
  while (!text().includes('list_changed')) await delay(5)
  assert.match(text(), /"progress":300\}/)
  answerer.finish({ jsonrpc: '2.0', id: 1, result: {} })
  while (!text().includes('"result"')) await delay(5)
  await close()
})

test('MCP response: no notification is sent after the result', async () => {
  const { answerer, read, text, close } = await openUnread()
  read()
  answerer.finish({ jsonrpc: '2.0', id: 1, result: {} })
  answerer.notify('notifications/progress', { progress: 1 })
  while (!text().includes('"result"')) await delay(5)
  await delay(20)
  assert.doesNotMatch(text(), /progress/)
  await close()
})
