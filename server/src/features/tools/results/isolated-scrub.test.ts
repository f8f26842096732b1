import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import {
  createIsolatedPool,
  IsolatedError,
  type IsolatedPool,
} from '../../../platform/isolation/isolated-pool.ts'
import { scrubAny } from './isolated-scrub.ts'
import { createScrubber } from './scrub-secrets.ts'

const SECRET = 'sk/live"4f9A\\zQ_7-x'
const MARK = '[REDACTED:CREDENTIAL]'
const entry = new URL('../../../isolated.ts', import.meta.url)
const LARGE_TEXT = 'x '.repeat(50_000)

describe('scrubAny', () => {
  const pool = createIsolatedPool({ entry })
  after(() => pool.close())
  const owners: string[] = []
  beforeEach(() => {
    owners.length = 0
  })
  const counted: IsolatedPool = {
    ...pool,
    run: (owner, task, input, options) => {
      owners.push(owner)
      return pool.run(owner, task, input, options)
    },
  }
  const scrub = (value: unknown, secrets = [SECRET]) => scrubAny(counted, 'org', secrets, value)

  it('scrubs a small value without a worker', async () => {
    const echoed = { header: `Bearer ${SECRET}`, padding: 'x '.repeat(30_000) }
    assert.deepEqual(await scrub(echoed), { ...echoed, header: `Bearer ${MARK}` })
    assert.deepEqual(owners, [])
  })

  const spellings: [form: string, echo: string, scrubbed: string][] = [
    ['unchanged', `a ${SECRET} b`, `a ${MARK} b`],
    ['as JSON within a text', JSON.stringify({ key: SECRET }), `{"key":"${MARK}"}`],
    [
      'as JSON within JSON',
      JSON.stringify(JSON.stringify({ key: SECRET })),
      JSON.stringify(`{"key":"${MARK}"}`),
    ],
    ['percent-encoded', `?key=${encodeURIComponent(SECRET)}&b`, `?key=${MARK}&b`],
  ]
  for (const [form, echo, scrubbed] of spellings)
    it(`scrubs a large value in a worker for its organization: the secret ${form}`, async () => {
      const value = { rows: [{ text: LARGE_TEXT, none: null, n: 1.5 }, { echo }] }
      const expected = { rows: [value.rows[0], { echo: scrubbed }] }
      assert.deepEqual(await scrub(value), expected)
      assert.deepEqual(expected, createScrubber([SECRET])(value), 'equal to an inline scrub')
      assert.deepEqual(owners, ['org'])
    })

  it('uses the worker for many small values', async () => {
    const value = { numbers: Array.from({ length: 6_000 }, (_, n) => n), echo: SECRET }
    assert.deepEqual(await scrub(value), { ...value, echo: MARK })
    assert.deepEqual(owners, ['org'])
  })

  it('returns the same object if nothing is removed', async () => {
    const value = { text: LARGE_TEXT }
    assert.equal(await scrub(value), value)
    assert.deepEqual(owners, ['org'])
  })

  it('starts no worker without secrets', async () => {
    const value = { text: LARGE_TEXT }
    assert.equal(await scrub(value, []), value)
    assert.deepEqual(owners, [])
  })
})

describe('failed scrubbing', () => {
  const value = { text: LARGE_TEXT, echo: SECRET }
  const withheld = (error: Error & { code?: string; retryable?: boolean }): true => {
    assert.deepEqual([error.code, error.retryable], ['third_party_error', false])
    assert.match(error.message, /so it is withheld/)
    assert.ok(!error.message.includes(SECRET))
    return true
  }

  it('withholds the result when the queue of the organization is full', async () => {
    const full = createIsolatedPool({ entry, maxQueuedPerOwner: 0 })
    await assert.rejects(scrubAny(full, 'org', [SECRET], value), withheld)
    await full.close()
  })

  it('withholds the result when the worker exceeds its limits', async () => {
    const run = () => Promise.reject(new IsolatedError('too_expensive', 'The limit was exceeded.'))
    await assert.rejects(scrubAny({ run, close: async () => undefined }, 'org', [SECRET], value), withheld)
  })

  it('withholds the result when the worker fails', async () => {
    const run = () => Promise.reject(new Error('The worker thread exited.'))
    await assert.rejects(scrubAny({ run, close: async () => undefined }, 'org', [SECRET], value), {
      message: 'The worker thread exited.',
    })
  })
})
