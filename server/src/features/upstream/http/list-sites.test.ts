import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_SITES, readSites } from './list-sites.ts'

const site = {
  name: 'site',
  url: 'https://acme.example/sites',
  list: '/data',
  value: '/id',
  title: '/name',
  detail: '/url',
  pattern: '^[a-z0-9.-]{1,20}$',
}

test('sites: duplicate entries are dropped and the provider’s order is kept', () => {
  const data = [
    { id: 'b', name: 'Bee', url: 'https://b.example' },
    { id: 'a', name: ' Ay\u0007 ' },
    { id: 'b', name: 'Bee again' },
    { id: 7 },
  ]
  assert.deepEqual(readSites(site, { data }), {
    kind: 'sites',
    sites: [
      { value: 'b', title: 'Bee', detail: 'https://b.example' },
      { value: 'a', title: 'Ay', detail: null },
      { value: '7', title: '7', detail: null },
    ],
  })
})

test('sites: an entry whose value is not a valid address part is skipped', () => {
  const data = ['..', 'a/b', 'a:b', 'a b', 'A', '', 'x'.repeat(21), null, ['a'], { toString: 'a' }]
  assert.deepEqual(readSites(site, { data: [...data.map(id => ({ id })), 'a', null] }), {
    kind: 'sites',
    sites: [],
  })
})

test('sites: a response without a list is unavailable, and a long list is truncated', () => {
  for (const response of [null, [], {}, { data: { id: 'a' } }, { data: 'a' }])
    assert.deepEqual(readSites(site, response), { kind: 'unavailable' })
  const data = Array.from({ length: MAX_SITES + 50 }, (_, n) => ({ id: `s${n}` }))
  const listed = readSites(site, { data })
  assert.equal(listed.kind === 'sites' && listed.sites.length, MAX_SITES)
})
