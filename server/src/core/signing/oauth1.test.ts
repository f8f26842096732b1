import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import OAuth from 'oauth-1.0a'
import { createRandom, type Random, randomList, randomText } from '../../../test/support/seeded-random.ts'
import { Secret } from '../secret.ts'
import { type OAuth1Method, oauth1Authorization, oauth1BaseString } from './oauth1.ts'
import type { SignableRequest } from './signable-request.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const seconds = (timestamp: number): Date => new Date(timestamp * 1000)

/** RFC 5849 §1.2: the three requests of the example. */
const RFC_CLIENT = {
  consumerKey: 'dpf43f3p2l4k3l03',
  method: { name: 'HMAC-SHA1', consumerSecret: new Secret('kd94hf93k423kf44') },
  realm: 'Photos',
} as const

test('temporary credentials are requested as in RFC 5849 §1.2', () => {
  const request = { method: 'POST', url: 'https://photos.example.net/initiate', headers: {}, body: null }
  const parameters = { oauth_callback: 'http://printer.example.com/ready' }
  assert.equal(
    oauth1Authorization(request, { ...RFC_CLIENT, at: seconds(137131200), nonce: 'wIjqoS', parameters }),
    'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA1", ' +
      'oauth_timestamp="137131200", oauth_nonce="wIjqoS", ' +
      'oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", ' +
      'oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"',
  )
})

test('token credentials are requested as in RFC 5849 §1.2', () => {
  const request = { method: 'POST', url: 'https://photos.example.net/token', headers: {}, body: null }
  const token = { key: 'hh5s93j4hdidpola', secret: new Secret('hdhd0244k9j7ao03') }
  const parameters = { oauth_verifier: 'hfdp7dh39dks9884' }
  const signing = { ...RFC_CLIENT, token, at: seconds(137131201), nonce: 'walatlh', parameters }
  assert.match(oauth1Authorization(request, signing), /oauth_signature="gKgrFCywp7rO0OXSjdot%2FIHF7IU%3D"$/)
})

test('a resource is requested as in RFC 5849 §1.2', () => {
  const url = 'http://photos.example.net/photos?file=vacation.jpg&size=original'
  const request = { method: 'GET', url, headers: {}, body: null }
  const token = { key: 'nnch734d00sl2jdk', secret: new Secret('pfkkdhi9sl3r4s00') }
  const signing = { ...RFC_CLIENT, token, at: seconds(137131202), nonce: 'chapoH' }
  assert.match(oauth1Authorization(request, signing), /oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"$/)
})

test('the base string is that of RFC 5849 §3.4.1.1', () => {
  const request = {
    method: 'post',
    url: 'http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'c2&a3=2+q',
  }
  const parameters = {
    oauth_consumer_key: '9djdj82h48djs9d2',
    oauth_token: 'kkk9d7dh3k39sjv7',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: '137131201',
    oauth_nonce: '7d8f3e4a',
  }
  assert.equal(
    oauth1BaseString(request, parameters),
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2' +
      '%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1' +
      '%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  )
})

test('a post is signed as in the documentation of X', () => {
  const request = {
    method: 'POST',
    url: 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true',
    headers: FORM,
    body: 'status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21',
  }
  const header = oauth1Authorization(request, {
    method: {
      name: 'HMAC-SHA1',
      consumerSecret: new Secret('kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw'),
    },
    consumerKey: 'xvz1evFS4wEEPTGEFPHBog',
    token: {
      key: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
      secret: new Secret('LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE'),
    },
    nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
    at: seconds(1318622958),
    parameters: { oauth_version: '1.0' },
  })
  assert.match(header, /oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D"$/)
})

const CONSUMER_SECRET = new Secret('c&s%')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

type HashFunction = (base: string, key: string) => string
const METHODS: [OAuth1Method, HashFunction | undefined][] = [
  [{ name: 'PLAINTEXT', consumerSecret: CONSUMER_SECRET }, undefined],
  [
    { name: 'HMAC-SHA1', consumerSecret: CONSUMER_SECRET },
    (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  ],
  [
    { name: 'HMAC-SHA256', consumerSecret: CONSUMER_SECRET },
    (base, key) => createHmac('sha256', key).update(base).digest('base64'),
  ],
  [
    { name: 'RSA-SHA1', privateKey: rsa.privateKey },
    base => sign('sha1', Buffer.from(base), rsa.privateKey).toString('base64'),
  ],
]

for (const [method, hash] of METHODS)
  test(`random requests have the ${method.name} signature that another implementation computes`, () => {
    const random = createRandom(20_261_119)
    for (let round = 0; round < 500; round++) {
      const { request, data } = randomRequest(random)
      const token = { key: randomText(random, 8), secret: randomText(random, 8) }
      const peer = new OAuth({
        consumer: { key: 'c k', secret: CONSUMER_SECRET.reveal() },
        signature_method: method.name,
        ...(hash && { hash_function: hash }),
      })
      const theirs = peer.authorize({ method: request.method, url: request.url, data }, token)
      const ours = oauth1Authorization(request, {
        method,
        consumerKey: 'c k',
        token: { key: token.key, secret: new Secret(token.secret) },
        nonce: theirs.oauth_nonce,
        at: seconds(theirs.oauth_timestamp),
        parameters: { oauth_version: '1.0' },
      })
      const { Authorization } = peer.toHeader(theirs)
      assert.deepEqual(partsOf(ours), partsOf(Authorization), JSON.stringify(request))
    }
  })

test('an RSA-SHA1 signature is verified with the public key', () => {
  const request = { method: 'GET', url: 'https://example.com/a', headers: {}, body: null }
  const method = { name: 'RSA-SHA1', privateKey: rsa.privateKey } as const
  const header = oauth1Authorization(request, { method, consumerKey: 'k', nonce: 'n', at: seconds(1) })
  const signature = Buffer.from(partsOf(header).get('oauth_signature')!, 'base64')
  const base = oauth1BaseString(request, {
    oauth_consumer_key: 'k',
    oauth_signature_method: 'RSA-SHA1',
    oauth_timestamp: '1',
    oauth_nonce: 'n',
  })
  assert.ok(verify('sha1', Buffer.from(base), rsa.publicKey, signature))
})

const HMAC = { name: 'HMAC-SHA256', consumerSecret: CONSUMER_SECRET } as const
const authorize = (request: SignableRequest, realm?: string): string =>
  oauth1Authorization(request, {
    method: HMAC,
    consumerKey: 'k',
    nonce: 'n',
    at: seconds(1),
    ...(realm !== undefined && { realm }),
  })

test('the signature covers a form and no other body', () => {
  const request = { method: 'POST', url: 'https://example.com/', headers: {}, body: null }
  const json = { ...request, headers: { 'content-type': 'application/json' }, body: '{"a":1}' }
  const form = {
    ...request,
    headers: { 'content-type': `${FORM['content-type']}; charset=utf-8` },
    body: 'a=1',
  }
  assert.equal(authorize(json), authorize(request))
  assert.notEqual(authorize(form), authorize(request))
  assert.equal(authorize({ ...form, body: Buffer.from('a=1') }), authorize(form))
})

test('the realm is written, is not signed, and cannot end its quotes', () => {
  const request = { method: 'GET', url: 'https://example.com/', headers: {}, body: null }
  assert.equal(authorize(request, '123_SB1'), authorize(request).replace('OAuth ', 'OAuth realm="123_SB1", '))
  assert.match(authorize(request, 'a", x="\\'), /^OAuth realm="a\\", x=\\"\\\\", oauth_consumer_key=/)
})

const partsOf = (header: string): Map<string, string> =>
  new Map(
    [...header.matchAll(/([\w%]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decodeURIComponent(value),
    ]),
  )

const randomRequest = (random: Random) => {
  const encoded = () => encodeURIComponent(randomText(random, random(6)))
  // oauth-1.0a does not decode names, and loses values of repeated parameters. The RFC's example of a base string has one.
  let count = 0
  const query = randomList(random(4), () => `q${count++}=${encoded()}`).join('&')
  const path = randomList(random(3), () => `p${encoded()}`).join('/')
  const entries = randomList(random(4), () => [`b${random(9)}`, randomText(random, random(6))] as const)
  const data = Object.fromEntries(entries)
  return {
    request: {
      method: ['GET', 'POST', 'PUT'][random(3)]!,
      url: `https://host.example.com${random(2) === 0 ? ':8443' : ''}/${path}${query && `?${query}`}`,
      headers: FORM,
      body: entries.length === 0 ? null : new URLSearchParams(data).toString(),
    },
    data,
  }
}
