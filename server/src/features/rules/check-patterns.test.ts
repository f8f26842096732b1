import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { CustomPattern } from '@carabiner/detection'
import {
  createIsolatedPool,
  IsolatedError,
  type IsolatedPool,
} from '../../platform/isolation/isolated-pool.ts'
import { createPatternChecker } from './check-patterns.ts'
import { checkSettings } from './check-settings.ts'
import { cachedPatternFault } from './pattern-check-cache.ts'

const entry = new URL('../../isolated.ts', import.meta.url)

describe('createPatternChecker', () => {
  const pool = createIsolatedPool({ entry })
  after(() => pool.close())
  const tasks: { owner: string; task: string; input: unknown }[] = []
  const counted: IsolatedPool = {
    ...pool,
    run: (owner, task, input, options) => {
      tasks.push({ owner, task, input })
      return pool.run(owner, task, input, options)
    },
  }
  const checkPatterns = createPatternChecker(counted)
  const tasksOf = async (work: () => Promise<unknown>) => {
    tasks.length = 0
    await work()
    return tasks.map(({ owner, task, input }) => [owner, task, input])
  }
  const good: CustomPattern = { pattern: 'checked-[0-9]{1,6}' }
  const slow: CustomPattern = { pattern: 'checked(a+)+b' }

  it('checks unknown patterns in one worker task and returns one result for each, in order', async () => {
    const sent = await tasksOf(async () =>
      assert.deepEqual(await checkPatterns('org', [good, slow]), [null, 'slow']),
    )
    const input = [good, slow].map(({ pattern }) => ({ pattern, ignoreCase: undefined }))
    assert.deepEqual(sent, [['org', 'check-patterns', input]])
  })

  it('caches results: sends only new patterns, and a known pattern with other flags', async () => {
    assert.deepEqual(await tasksOf(() => checkPatterns('another', [slow, good])), [])
    const insensitive = { ...good, ignoreCase: true }
    const sent = await tasksOf(async () =>
      assert.deepEqual(await checkPatterns('org', [slow, insensitive, good]), ['slow', null, null]),
    )
    assert.deepEqual(sent, [['org', 'check-patterns', [insensitive]]])
  })

  it('starts no task without patterns', async () => {
    assert.deepEqual(await tasksOf(async () => assert.deepEqual(await checkPatterns('org', []), [])), [])
  })
})

describe('a failed pattern check', () => {
  const rule = (pattern: string) => ({
    label: 'CODE',
    pattern,
    inbound_action: 'redact' as const,
    outbound_action: 'redact' as const,
  })
  const check = (isolated: IsolatedPool, pattern: string) =>
    checkSettings(
      { custom_rules: [rule(pattern)] },
      { checkPatterns: createPatternChecker(isolated), organizationId: 'org' },
    )

  it('is check_capacity_exceeded with Retry-After when the queue is full, and checks nothing inline', async () => {
    const full = createIsolatedPool({ entry, maxQueuedPerOwner: 0 })
    await assert.rejects(check(full, 'unchecked-[a-z]{1,4}'), {
      code: 'check_capacity_exceeded',
      retryable: true,
      retryAfterSeconds: 2,
    })
    await full.close()
    assert.equal(cachedPatternFault({ pattern: 'unchecked-[a-z]{1,4}' }), undefined)
  })

  it('is invalid_request for patterns that exceed the CPU limit, and checks nothing inline', async () => {
    const run = () => Promise.reject(new IsolatedError('too_expensive', 'The limit was exceeded.'))
    await assert.rejects(check({ run, close: async () => undefined }, 'costly-[a-z]{1,4}'), {
      code: 'invalid_request',
      param: 'custom_rules',
    })
    assert.equal(cachedPatternFault({ pattern: 'costly-[a-z]{1,4}' }), undefined)
  })
})
