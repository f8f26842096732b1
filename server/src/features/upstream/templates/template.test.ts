import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '../../../core/refusal.ts'
import { fillAddress, fillHeaders, fillText, fillValue, namesIn } from './template.ts'

test('template: a text that is exactly one placeholder becomes the value with its type', () => {
  const values = { count: 3, list: ['a', 'b'], on: false, none: null, text: 'x' }
  assert.deepEqual(
    fillValue({ a: '{count}', b: '{list}', c: '{on}', d: '{none}', e: 'say {text}' }, values),
    {
      a: 3,
      b: ['a', 'b'],
      c: false,
      d: null,
      e: 'say x',
    },
  )
})

test('template: missing values are omitted, and so are objects that become empty', () => {
  const template = {
    start: { at: '{start}', zone: '{zone}' },
    people: [{ email: '{email}' }],
    fixed: {},
    greeting: 'Dear {name}',
    kept: { at: '{end}', zone: '{zone}' },
  }
  assert.deepEqual(fillValue(template, { end: '10:00' }), { fixed: {}, kept: { at: '10:00' } })
})

test('template: a filled-in value is not expanded again', () => {
  assert.equal(fillText('{a}-{b}', { a: '{b}', b: '{a}' }), '{b}-{a}')
  assert.deepEqual(fillValue(['{a}'], { a: { deep: '{b}' }, b: 1 }), [{ deep: '{b}' }])
})

test('template: prototype properties are not values', () => {
  assert.equal(fillText('{constructor}', {}), null)
  assert.equal(fillValue('{constructor}', {}), undefined)
})

test('template: braces in a GraphQL text are not placeholders', () => {
  const query = 'query($id: ID!) { issue(id: $id) { id title } }'
  assert.deepEqual(namesIn({ query }), [])
  assert.deepEqual(fillValue({ query }, {}), { query })
})

test('template: an unsendable header value is rejected with the name of its argument', () => {
  for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\0b', 'snow☃', 'a\u2028b', '\x7f'])
    assert.throws(
      () => fillHeaders({ 'X-From': 'me {email}' }, { email: value }),
      error => isRefusal(error, 'invalid_arguments') && error.param === 'email',
    )
  assert.deepEqual(fillHeaders({ 'X-From': 'me {email}' }, { email: 'é@x' }), { 'x-from': 'me é@x' })
})

test('template: a tenant value cannot change another part of the address', () => {
  const address = 'https://{tenant.site}.example.com/a'
  assert.equal(fillAddress(address, { site: 'acme' }), 'https://acme.example.com/a')
  for (const site of [
    '',
    '.',
    '..',
    'a/b',
    'a@b',
    'a:1',
    'a?b',
    'a#b',
    'a\\b',
    'a b',
    'a%2fb',
    '{owner}',
    'a\n',
  ])
    assert.throws(() => fillAddress(address, { site }), /not a valid part/, JSON.stringify(site))
  assert.throws(() => fillAddress(address, {}), /has no value/)
})
