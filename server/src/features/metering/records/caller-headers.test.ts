import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callerHeaders, parseHeaderFilter } from './caller-headers.ts'

const never = () => false

describe('callerHeaders', () => {
  it('records the caller’s own X-* headers', () => {
    const given = {
      accept: 'x',
      'x-conversation-id': 'c-1',
      'x-job': ['a', 'b'],
      'x-empty': '',
      traceparent: '00',
      xother: 'y',
    }
    assert.deepEqual(callerHeaders(given, never), {
      'x-conversation-id': 'c-1',
      'x-job': 'a, b',
      'x-empty': '',
    })
    assert.equal(callerHeaders({ accept: 'x' }, never), null)
  })

  it('drops headers whose name or value indicates a secret', () => {
    const names =
      'x-api-key x-apikey x-auth x-auth-token x-amz-security-token x-goog-api-key x-csrf-token x-client-secret x-authorization x-user-password x-hub-signature-256 x-access_key x-jwt x-cookie x-vault-token'
    for (const name of names.split(' ')) assert.equal(callerHeaders({ [name]: 'v' }, never), null, name)
    assert.deepEqual(
      callerHeaders({ 'x-a': 'fine', 'x-b': `${'z'.repeat(300)} secret` }, text => text.includes('secret')),
      { 'x-a': 'fine' },
      'also if the indication would be truncated',
    )
  })

  it('drops headers added by proxies', () => {
    const names =
      'x-forwarded-for x-forwarded-proto x-real-ip x-envoy-external-address x-amzn-trace-id x-b3-traceid x-cloud-trace-context x-azure-ref x-vercel-id x-client-ip x-original-uri x-request-start'
    for (const name of names.split(' ')) assert.equal(callerHeaders({ [name]: 'v' }, never), null, name)
    assert.notEqual(callerHeaders({ 'x-hostility': 'v', 'x-viable': 'v' }, never), null)
  })

  it('limits the number and length of headers', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x-n${n}`, 'v']))
    assert.equal(Object.keys(callerHeaders(many, never) ?? {}).length, 20)
    const long = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`x-${'n'.repeat(200)}${n}`, 'v'.repeat(999)]),
    )
    const kept = Object.entries(callerHeaders(long, never) ?? {})
    assert.ok(kept.length > 5 && kept.every(([, value]) => value.length === 200))
    assert.ok(kept.flat().join('').length <= 4096)
    assert.equal(callerHeaders({ 'x-a': `${'v'.repeat(199)}🔑` }, never)?.['x-a']?.isWellFormed(), true)
  })

  it('parseHeaderFilter: requires a name and the whole value', () => {
    assert.deepEqual(parseHeaderFilter('X-Job: a:b '), { name: 'x-job', value: 'a:b' })
    for (const text of ['X-Job', 'Job:a', ':a', 'X-:a', 'X-J ob:a', ''])
      assert.equal(parseHeaderFilter(text), null, text)
  })
})
