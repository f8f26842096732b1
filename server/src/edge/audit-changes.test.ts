import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeChanges } from './audit-changes.ts'

const provider = { issuer: 'https://id.acme.example', client_id: 'c1', trust_email: false }

test('describeChanges: a declared field of a nested object is recorded with both values, others by the name of the object', () => {
  const changes = describeChanges({
    before: { provider },
    response: { provider: { ...provider, client_id: 'c2', trust_email: true } },
    body: { provider: { client_secret: 'secret' } },
    values: ['provider.issuer', 'provider.trust_email'],
  })
  assert.deepEqual(changes, [{ field: 'provider' }, { field: 'provider.trust_email', from: false, to: true }])
})

test('describeChanges: the fields of an object that is set for the first time, or removed, have null on the other side', () => {
  const [none, some] = [{ provider: null }, { provider }]
  const changeOf = (before: object, response: object) =>
    describeChanges({
      before: { ...before },
      response: { ...response },
      body: {},
      values: ['provider.issuer'],
    })
  assert.deepEqual(changeOf(none, some), [
    { field: 'provider' },
    { field: 'provider.issuer', from: null, to: provider.issuer },
  ])
  assert.deepEqual(changeOf(some, none), [
    { field: 'provider' },
    { field: 'provider.issuer', from: provider.issuer, to: null },
  ])
})

test('describeChanges: a declared list of texts is recorded as one text, other lists only by name', () => {
  const changes = describeChanges({
    before: null,
    response: { groups: ['read', 'tools'], items: [{ id: 1 }] },
    body: {},
    values: ['groups', 'items'],
  })
  assert.deepEqual(changes, [{ field: 'groups', to: 'read, tools' }, { field: 'items' }])
})
