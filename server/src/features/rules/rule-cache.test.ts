import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCustomPattern } from '@carabiner/detection'
import { createRuleCache, NO_SETTINGS } from './rule-cache.ts'
import type { SecuritySettings } from './security-settings.ts'

const owner = { organizationId: 'o', toolPackId: 'p' }

const cacheOf = (
  settings: () => { hash: string; organization: SecuritySettings | null },
  maxCached?: number,
) => {
  const counted = { reads: 0 }
  const cache = createRuleCache({
    read: async () => {
      counted.reads++
      return { toolPack: null, ...settings() }
    },
    checkPatterns: async (_, patterns) => patterns.map(checkCustomPattern),
    ...(maxCached !== undefined && { maxCached }),
  })
  return { cache, counted }
}

test('rule cache: reads and compiles settings once per hash', async () => {
  const { cache, counted } = cacheOf(() => ({ hash: 'a', organization: { dry_run: true } }))
  const first = await cache.rulesFor(owner, 'a')
  assert.equal(first.dryRun, true)
  assert.equal(await cache.rulesFor(owner, 'a'), first)
  assert.equal(counted.reads, 1)
})

test('rule cache: concurrent calls with one hash share a read; another hash does not wait', async () => {
  let hash = 'a'
  const { cache, counted } = cacheOf(() => ({ hash, organization: { dry_run: hash === 'b' } }))
  const early = Array.from({ length: 50 }, () => cache.rulesFor(owner, 'a'))
  hash = 'b'
  const late = await cache.rulesFor(owner, 'b')
  assert.equal(late.dryRun, true)
  assert.equal(new Set(await Promise.all(early)).size, 1)
  assert.equal(counted.reads, 2)
})

test('rule cache: reads nothing if no settings were saved', async () => {
  const { cache, counted } = cacheOf(() => assert.fail('it was read'))
  assert.equal((await cache.rulesFor(owner, NO_SETTINGS)).dryRun, false)
  assert.equal(counted.reads, 0)
})

test('rule cache: caches settings under the hash that was read, not the requested one', async () => {
  let current = { hash: 'new', organization: { dry_run: true } }
  const { cache } = cacheOf(() => current)
  assert.equal((await cache.rulesFor(owner, 'old')).dryRun, true, 'rules newer than requested are accepted')
  current = { hash: 'old', organization: { dry_run: false } }
  assert.equal((await cache.rulesFor(owner, 'old')).dryRun, false)
})

test('rule cache: evicts the least recently used rules beyond its limit', async () => {
  let hash = ''
  const { cache, counted } = cacheOf(() => ({ hash, organization: {} }), 2)
  const readRules = (wanted: string) => {
    hash = wanted
    return cache.rulesFor(owner, wanted)
  }
  for (const wanted of ['a', 'b', 'a', 'c', 'a']) await readRules(wanted)
  assert.equal(counted.reads, 3)
  await readRules('b')
  assert.equal(counted.reads, 4)
})

test('rule cache: throws every time for settings that do not compile', async () => {
  const { cache } = cacheOf(() => ({
    hash: 'a',
    organization: { custom_rules: [{ label: 'SLOW', pattern: '(a+)+$', outbound_action: 'log' }] },
  }))
  for (let n = 0; n < 2; n++) await assert.rejects(cache.rulesFor(owner, 'a'), /SLOW/)
})
