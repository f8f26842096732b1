import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { loadCatalog } from '../../connectors/catalog/catalog.ts'
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
      { value: 'b', title: 'Bee', detail: 'https://b.example', sets: { site: 'b' } },
      { value: 'a', title: 'Ay', detail: null, sets: { site: 'a' } },
      { value: '7', title: '7', detail: null, sets: { site: '7' } },
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

test('sites: a chosen Docusign account sets its ID and its host, and one with a foreign host is skipped', () => {
  const docusign = oauthMethod(loadCatalog({}).find('docusign') as ConnectorFile)?.site
  assert.ok(docusign)
  const account = (id: string, base: string) => ({
    account_id: `${id}a1b2c3d-0000-4000-8000-000000000000`,
    account_name: `Acme ${id}`,
    base_uri: base,
  })
  const listed = readSites(docusign, {
    accounts: [
      account('1', 'https://na3.docusign.net'),
      account('2', 'https://eu.docusign.net'),
      account('3', 'https://docusign.net.evil.example'),
    ],
  })
  assert.deepEqual(listed.kind === 'sites' && listed.sites.map(({ title, sets }) => [title, sets]), [
    ['Acme 1', { account_id: '1a1b2c3d-0000-4000-8000-000000000000', base: 'na3' }],
    ['Acme 2', { account_id: '2a1b2c3d-0000-4000-8000-000000000000', base: 'eu' }],
  ])
})

test('sites: an organization of Xero is the tenant of its calls', () => {
  const xero = oauthMethod(loadCatalog({}).find('xero') as ConnectorFile)?.site
  assert.ok(xero)
  const tenantId = '70784a63-d24b-46a9-a4db-0e70a274b056'
  assert.deepEqual(
    readSites(xero, [{ id: 'x', tenantId, tenantType: 'ORGANISATION', tenantName: 'Maple Florists' }]),
    {
      kind: 'sites',
      sites: [{ value: tenantId, title: 'Maple Florists', detail: null, sets: { tenant_id: tenantId } }],
    },
  )
})
