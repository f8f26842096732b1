import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Secret } from '../secret.ts'
import { type HmacPart, type HmacScheme, hmacValues } from './hmac.ts'
import type { SignableRequest } from './signable-request.ts'

const SCHEME: HmacScheme = {
  algorithm: 'sha256',
  parts: ['body'],
  separator: '',
  encoding: 'hex',
  secretEncoding: 'utf8',
  timestamp: 'seconds',
  bodyDigest: { algorithm: 'sha256', encoding: 'hex' },
}

const REQUEST: SignableRequest = {
  method: 'POST',
  url: 'https://api.example.com:8443/v1/things?b=2&a=1',
  headers: { 'Content-Type': ' application/json ' },
  body: '{"a":1}',
}

const AT = new Date('2026-11-19T12:34:56.789Z')

const values = (scheme: Partial<HmacScheme>, request: Partial<SignableRequest> = {}, secret = 'secret') =>
  hmacValues(
    { ...REQUEST, ...request },
    { ...SCHEME, ...scheme },
    { secret: new Secret(secret), nonce: 'n-1', at: AT },
  )

test('a body is signed as in the example of the Binance API documentation', () => {
  const body =
    'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559'
  const secret = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j'
  assert.equal(
    values({}, { body }, secret).signature,
    'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71',
  )
})

test('several parts are signed as in the example of the Duo Admin API documentation', () => {
  const request = {
    url: 'https://api-xxxxxxxx.duosecurity.com/accounts/v1/account/list',
    headers: { date: 'Tue, 21 Aug 2012 17:29:18 -0000' },
    body: 'realname=First%20Last&username=root',
  }
  const parts: HmacPart[] = [{ header: 'Date' }, 'method', 'host', 'path', 'body']
  const secret = 'Zh5eGmUq9zpfQnyUIu5OL9iWoMMv5ZNmk3zLJ4Ep'
  assert.equal(
    values({ algorithm: 'sha1', parts, separator: '\n' }, request, secret).signature,
    '2d97d6166319781b5a3a07af39d366f491234edc',
  )
})

/** Each part with the text that it adds. */
const PARTS: [HmacPart, string][] = [
  ['method', 'POST'],
  ['host', 'api.example.com:8443'],
  ['path', '/v1/things'],
  ['query', 'b=2&a=1'],
  ['path_and_query', '/v1/things?b=2&a=1'],
  ['url', 'https://api.example.com:8443/v1/things?b=2&a=1'],
  ['body', '{"a":1}'],
  ['body_digest', '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862'],
  ['timestamp', '1795091696'],
  ['nonce', 'n-1'],
  [{ header: 'content-type' }, 'application/json'],
  [{ header: 'x-absent' }, ''],
  [{ text: 'v0' }, 'v0'],
]

test('each part adds its text, with the separator between', () => {
  const signatureOf = (text: string) => createHmac('sha256', 'secret').update(text).digest('hex')
  for (const [part, text] of PARTS)
    assert.equal(values({ parts: [part] }).signature, signatureOf(text), JSON.stringify(part))
  const all = values({ parts: PARTS.map(([part]) => part), separator: '|' })
  assert.equal(all.signature, signatureOf(PARTS.map(([, text]) => text).join('|')))
})

test('secret, signature, timestamp and digest are written in the encodings of the scheme', () => {
  const signature = values({}).signature
  const bytes = Buffer.from(signature, 'hex')
  assert.equal(values({ encoding: 'base64' }).signature, bytes.toString('base64'))
  assert.equal(values({ encoding: 'base64url' }).signature, bytes.toString('base64url'))
  for (const secretEncoding of ['hex', 'base64'] as const)
    assert.equal(
      values({ secretEncoding }, {}, Buffer.from('secret').toString(secretEncoding)).signature,
      signature,
    )
  assert.deepEqual(
    (['seconds', 'milliseconds', 'iso', 'http_date'] as const).map(
      timestamp => values({ timestamp }).timestamp,
    ),
    ['1795091696', '1795091696789', '2026-11-19T12:34:56.789Z', 'Thu, 19 Nov 2026 12:34:56 GMT'],
  )
  const bodyDigest = { algorithm: 'md5', encoding: 'base64' } as const
  assert.equal(values({ bodyDigest }).body_digest, 'u2y1xo30ZSlByvZSo2by2A==')
  assert.equal(values({ bodyDigest }, { body: null }).body_digest, '1B2M2Y8AsgTpgAmY7PhCfg==')
})
