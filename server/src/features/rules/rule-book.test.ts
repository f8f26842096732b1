import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCustomPattern } from '@carabiner/detection'
import { createRuleBook, NO_SETTINGS } from './rule-book.ts'
import type { SecuritySettings } from './security-settings.ts'

const owner = { organizationId: 'o', toolPackId: 'p' }

const bookOf = (
  settings: () => { hash: string; organization: SecuritySettings | null },
  maxKept?: number,
) => {
  const counted = { reads: 0 }
  const book = createRuleBook({
    read: async () => {
      counted.reads++
      return { toolPack: null, ...settings() }
    },
    judge: async (_, patterns) => patterns.map(checkCustomPattern),
    ...(maxKept !== undefined && { maxKept }),
  })
  return { book, counted }
}

test('settings are read and compiled once for their hash', async () => {
  const { book, counted } = bookOf(() => ({ hash: 'a', organization: { dry_run: true } }))
  const first = await book.rulesFor(owner, 'a')
  assert.equal(first.dryRun, true)
  assert.equal(await book.rulesFor(owner, 'a'), first)
  assert.equal(counted.reads, 1)
})

test('many calls that come at once after a change read once, and a later change is not waited for', async () => {
  let hash = 'a'
  const { book, counted } = bookOf(() => ({ hash, organization: { dry_run: hash === 'b' } }))
  const early = Array.from({ length: 50 }, () => book.rulesFor(owner, 'a'))
  hash = 'b'
  const late = await book.rulesFor(owner, 'b')
  assert.equal(late.dryRun, true)
  assert.equal(new Set(await Promise.all(early)).size, 1)
  assert.equal(counted.reads, 2)
})

test('where nothing was ever saved nothing is read', async () => {
  const { book, counted } = bookOf(() => assert.fail('it was read'))
  assert.equal((await book.rulesFor(owner, NO_SETTINGS)).dryRun, false)
  assert.equal(counted.reads, 0)
})

test('what was read stands under its own hash, not under the one that was asked for', async () => {
  let current = { hash: 'new', organization: { dry_run: true } }
  const { book } = bookOf(() => current)
  assert.equal((await book.rulesFor(owner, 'old')).dryRun, true, 'newer than the call is as good')
  current = { hash: 'old', organization: { dry_run: false } }
  assert.equal((await book.rulesFor(owner, 'old')).dryRun, false)
})

test('it keeps the last used and no more than it may', async () => {
  let hash = ''
  const { book, counted } = bookOf(() => ({ hash, organization: {} }), 2)
  const ask = (wanted: string) => {
    hash = wanted
    return book.rulesFor(owner, wanted)
  }
  for (const wanted of ['a', 'b', 'a', 'c', 'a']) await ask(wanted)
  assert.equal(counted.reads, 3)
  await ask('b')
  assert.equal(counted.reads, 4)
})

test('settings that no longer compile are an error each time, and never rules', async () => {
  const { book } = bookOf(() => ({
    hash: 'a',
    organization: { custom_rules: [{ label: 'SLOW', pattern: '(a+)+$', outbound_action: 'log' }] },
  }))
  for (let n = 0; n < 2; n++) await assert.rejects(book.rulesFor(owner, 'a'), /SLOW/)
})
