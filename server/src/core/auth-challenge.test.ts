import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerChallenge, parseChallenges } from './auth-challenge.ts'

const plain = (header: string) =>
  parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])

test('auth challenge: parses the syntax of RFC 9110', () => {
  const cases: [string, unknown][] = [
    ['', []],
    ['Bearer', [['bearer', {}]]],
    ['Bearer realm="a"', [['bearer', { realm: 'a' }]]],
    ['BEARER Error=invalid_token , scope="a b"', [['bearer', { error: 'invalid_token', scope: 'a b' }]]],
    ['Bearer realm="a \\"quoted\\" b"', [['bearer', { realm: 'a "quoted" b' }]]],
    [
      'Negotiate a87421000492aa==, Bearer resource_metadata="https://a/b,c"',
      [
        ['negotiate', {}],
        ['bearer', { resource_metadata: 'https://a/b,c' }],
      ],
    ],
    [
      'Basic realm="x", Bearer scope=a, Digest nonce="n"',
      [
        ['basic', { realm: 'x' }],
        ['bearer', { scope: 'a' }],
        ['digest', { nonce: 'n' }],
      ],
    ],
    ['Bearer scope="a", scope="b"', [['bearer', { scope: 'a' }]]],
  ]
  for (const [header, expected] of cases) assert.deepEqual(plain(header), expected, header)
})

test('auth challenge: stops at a malformed part and keeps the previous challenges', () => {
  assert.deepEqual(plain('Bearer scope="a", realm="open'), [['bearer', { scope: 'a' }]])
  for (const hostile of ['"'.repeat(100_000), 'a,'.repeat(50_000), 'Bearer a='.repeat(20_000), 'Bearer "\\'])
    parseChallenges(hostile)
})

test('auth challenge: finds the Bearer challenge among others, or returns nothing', () => {
  assert.equal(
    bearerChallenge('Basic realm="x", Bearer error="insufficient_scope"').get('error'),
    'insufficient_scope',
  )
  assert.equal(bearerChallenge('Basic realm="Bearer error=1"').size, 0)
  assert.equal(bearerChallenge(null).size, 0)
})
