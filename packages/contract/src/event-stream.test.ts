import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents } from './event-stream.ts'

async function* chunks(parts: (string | Buffer)[]): AsyncGenerator<Buffer, void> {
  for (const part of parts) yield Buffer.from(part)
}
const read = async (...parts: (string | Buffer)[]) => {
  const events = []
  for await (const event of readEvents(chunks(parts))) events.push(event)
  return events
}

test('event stream: events do not depend on chunk boundaries or line endings', async () => {
  const text =
    '\ufeff: hello\nid: 1\nretry: 50\ndata: {"a":\ndata:"é"}\nevent: message\n\ndata: last\n\ndata: unfinished'
  const expected = [
    { data: '{"a":\n"é"}', id: '1', retryMs: 50 },
    { data: 'last', id: null, retryMs: null },
  ]
  for (const end of ['\n', '\r', '\r\n']) {
    const bytes = Buffer.from(text.replaceAll('\n', end))
    assert.deepEqual(await read(bytes), expected)
    assert.deepEqual(await read(...Array.from(bytes, byte => Buffer.from([byte]))), expected)
  }
})

test('event stream: an event without data still carries its ID and retry delay', async () => {
  assert.deepEqual(await read('id: 7\n\n:\n\n', 'retry: x\n\n'), [{ data: '', id: '7', retryMs: null }])
})

test('event stream: a long line is not rescanned for each byte', async () => {
  // Reading the line again for each byte would copy 100 GB.
  const parts = [`data: ${'x'.repeat(1_000_000)}`, ...Array.from({ length: 100_000 }, () => 'x'), '\n\n']
  const { value: event } = await readEvents(chunks(parts)).next()
  assert.equal(event?.data.length, 1_100_000)
})

test('event stream: text that is not UTF-8 throws', async () => {
  await assert.rejects(read(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])), TypeError)
})
