import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type StagedHosts, stageHosts } from '../../../../test/support/staged-hosts.ts'
import { type ClientDocuments, createClientDocuments, MAX_FETCHES_PER_NETWORK } from './client-documents.ts'

const ID = 'https://client.example/metadata'
const NETWORK = '198.51.100.7'
const document = (id = ID) => ({
  client_id: id,
  client_name: 'Client',
  redirect_uris: ['https://client.example/'],
})

describe('client documents', () => {
  let hosts: StagedHosts
  let documents: ClientDocuments
  let now = 0
  before(async () => {
    hosts = await stageHosts(['client.example'], { 'internal.example': ['10.0.0.1'] })
  })
  after(() => hosts.close())
  beforeEach(() => {
    hosts.stage = {}
    hosts.requests.length = 0
    documents = createClientDocuments(hosts.egress, () => now)
  })
  const find = (id = ID, network = NETWORK) => documents.find(id, network)

  for (const [cacheControl, seconds] of [
    [undefined, 60],
    ['public, max-age=10', 10],
    ['max-age=86400', 60],
  ] as const)
    test(`cache-control ${cacheControl}: cached for ${seconds} seconds`, async () => {
      hosts.stage[ID] = { body: document(), headers: cacheControl ? { 'cache-control': cacheControl } : {} }
      await find()
      now += seconds * 1000 - 1
      await find()
      assert.equal(hosts.requests.length, 1)
      now += 1
      assert.deepEqual(await find(), { id: ID, name: 'Client', redirectUris: ['https://client.example/'] })
      assert.equal(hosts.requests.length, 2)
    })

  test('a document that must not be stored is fetched each time', async () => {
    for (const header of ['no-store', 'no-cache, max-age=30']) {
      hosts.requests.length = 0
      hosts.stage[ID] = { body: document(), headers: { 'cache-control': header } }
      for (let n = 0; n < 2; n++) assert.ok(await find())
      assert.equal(hosts.requests.length, 2, header)
    }
  })

  test('error responses and malformed documents are not cached', async () => {
    for (const answer of [
      { status: 500 },
      { body: 'not json' },
      { body: document('https://other.example/') },
    ]) {
      hosts.stage[ID] = answer
      assert.equal(await find(), null)
    }
    hosts.stage[ID] = { body: document() }
    assert.ok(await find())
    assert.equal(hosts.requests.length, 4)
  })

  test('a host that cannot be reached is not tried again for ten seconds by the same network', async () => {
    const id = 'https://internal.example/metadata'
    let lookups = 0
    const counted = createClientDocuments(
      {
        ...hosts.egress,
        onBehalfOf: owner => {
          lookups++
          return hosts.egress.onBehalfOf(owner)
        },
      },
      () => now,
    )
    for (const wait of [0, 9999]) {
      now += wait
      assert.equal(await counted.find(id, NETWORK), null)
      assert.equal(lookups, 1)
    }
    await counted.find(id, '203.0.113.9')
    assert.equal(lookups, 2)
    now += 1
    await counted.find(id, NETWORK)
    assert.equal(lookups, 3)
  })

  test('requests for one document share a fetch; others of the network are limited', async () => {
    const ids = Array.from({ length: MAX_FETCHES_PER_NETWORK + 2 }, (_, n) => `${ID}/${n}`)
    for (const id of ids) hosts.stage[id] = { body: document(id) }
    const found = await Promise.all([...ids, ids[0] as string].map(id => find(id)))
    assert.equal(found.filter(each => each === 'busy').length, 2)
    assert.equal(hosts.requests.length, MAX_FETCHES_PER_NETWORK)
    assert.notEqual(await find(ids.at(-1)), 'busy')
  })

  test('the limit of one network does not affect another', async () => {
    const ids = Array.from({ length: MAX_FETCHES_PER_NETWORK }, (_, n) => `${ID}/${n}`)
    for (const id of [...ids, ID]) hosts.stage[id] = { body: document(id) }
    const all = ids.map(id => find(id))
    assert.notEqual(await find(ID, '203.0.113.9'), 'busy')
    await Promise.all(all)
  })
})
