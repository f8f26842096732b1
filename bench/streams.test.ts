import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../server/test/support/databases.ts'
import { measureStreams } from './src/streams/measure-streams.ts'

test('streams: 100 open streams use less than 150 kB each', async () => {
  const database = await createTestDatabase('postgres')
  try {
    const { kilobytesEach, openMegabytes } = await measureStreams(100, 1000, database.url)
    assert.ok(kilobytesEach < 150, `${kilobytesEach.toFixed(0)} kB per stream`)
    assert.ok(openMegabytes < 250, `${openMegabytes.toFixed(0)} MB`)
  } finally {
    await database.drop()
  }
})
