import assert from 'node:assert/strict'
import { test } from 'node:test'
import aws4 from 'aws4'
import {
  createRandom,
  randomList as list,
  type Random,
  randomText,
} from '../../../test/support/seeded-random.ts'
import { Secret } from '../secret.ts'
import { type AwsCredentials, signAwsRequest } from './aws-signature-v4.ts'
import type { SignableRequest } from './signable-request.ts'

type Vector = {
  name: string
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
  sessionToken?: string
  signature: string
}

const signatureOf = (headers: Record<string, string>): string | undefined =>
  /Signature=(\w+)$/.exec(headers.authorization ?? '')?.[1]

/**
 * The cases of the AWS test suite, from aws-c-auth. Left out are those whose path an HTTP client cannot send (blanks,
 * unencoded UTF-8) or whose path is kept as it is for a service other than S3.
 */
const TEST_SUITE: Vector[] = [
  {
    name: 'get-header-key-duplicate',
    headers: { 'my-header1': 'value2,value2,value1' },
    signature: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  },
  {
    name: 'get-header-value-multiline',
    headers: { 'my-header1': 'value1  value2  value3' },
    signature: 'cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd',
  },
  {
    name: 'get-header-value-order',
    headers: { 'my-header1': 'value4,value1,value3,value2' },
    signature: '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
  },
  {
    name: 'get-header-value-trim',
    headers: { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  {
    name: 'get-relative-normalized',
    path: '/example/..',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-relative-relative-normalized',
    path: '/example1/example2/../..',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-slash-dot-slash-normalized',
    path: '/./',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-slash-normalized',
    path: '//',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-slash-pointless-dot-normalized',
    path: '/./example',
    signature: 'ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5',
  },
  {
    name: 'get-slashes-normalized',
    path: '//example//',
    signature: '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
  },
  {
    name: 'get-unreserved',
    path: '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    signature: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  },
  {
    name: 'get-vanilla-empty-query-key',
    path: '/?Param1=value1',
    signature: 'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  },
  {
    name: 'get-vanilla-query-order-encoded',
    path: '/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1',
    signature: '371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    path: '/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'get-vanilla-query-unreserved',
    path: '/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    signature: '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  },
  {
    name: 'get-vanilla-query',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-vanilla-utf8-query',
    path: '/?ሴ=bar',
    signature: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  },
  {
    name: 'get-vanilla-with-session-token',
    sessionToken: '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267',
    signature: '07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
  },
  { name: 'get-vanilla', signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31' },
  {
    name: 'post-header-key-case',
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-header-key-sort',
    method: 'POST',
    headers: { 'my-header1': 'value1' },
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  {
    name: 'post-header-value-case',
    method: 'POST',
    headers: { 'my-header1': 'VALUE1' },
    signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  },
  {
    name: 'post-sts-header-before',
    method: 'POST',
    sessionToken:
      'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==',
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  {
    name: 'post-vanilla-empty-query-value',
    method: 'POST',
    path: '/?Param1=value1',
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  {
    name: 'post-vanilla-query',
    method: 'POST',
    path: '/?Param1=value1',
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  {
    name: 'post-vanilla',
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-x-www-form-urlencoded-parameters',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'content-length': '13',
      'x-amz-content-sha256': '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e',
    },
    body: 'Param1=value1',
    signature: '328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422',
  },
  {
    name: 'post-x-www-form-urlencoded',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '13',
      'x-amz-content-sha256': '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e',
    },
    body: 'Param1=value1',
    signature: 'd3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
  },
]

for (const {
  name,
  method = 'GET',
  path = '/',
  headers = {},
  body = null,
  sessionToken,
  signature,
} of TEST_SUITE)
  test(`the signature of ${name} is that of the AWS test suite`, () => {
    const request = { method, url: `https://example.amazonaws.com${path}`, headers, body }
    const credentials = {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
      ...(sessionToken !== undefined && { sessionToken: new Secret(sessionToken) }),
    }
    const at = new Date('2015-08-30T12:36:00Z')
    const signed = signAwsRequest(request, { credentials, region: 'us-east-1', service: 'service', at })
    assert.equal(signatureOf(signed), signature)
    assert.equal(signed['x-amz-security-token'], sessionToken)
  })

/** Amazon S3 API Reference, "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk". */
const S3_EXAMPLES: Vector[] = [
  {
    name: 'GET Object',
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT Object',
    method: 'PUT',
    path: '/test$file.text',
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    body: 'Welcome to Amazon S3.',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET Bucket Lifecycle',
    path: '/?lifecycle',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'Get Bucket (List Objects)',
    path: '/?max-keys=2&prefix=J',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

for (const { name, method = 'GET', path, headers = {}, body = null, signature } of S3_EXAMPLES)
  test(`the signature of ${name} is that of the Amazon S3 documentation`, () => {
    const request = { method, url: `https://examplebucket.s3.amazonaws.com${path}`, headers, body }
    const credentials = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
    }
    const at = new Date('2013-05-24T00:00:00Z')
    assert.equal(
      signatureOf(signAwsRequest(request, { credentials, region: 'us-east-1', service: 's3', at })),
      signature,
    )
  })

const CREDENTIALS: AwsCredentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: new Secret('a/+secret') }

const signed = (request: Partial<SignableRequest>, service = 'lambda'): Record<string, string> =>
  signAwsRequest(
    { method: 'GET', url: 'https://example.com/', headers: {}, body: null, ...request },
    { credentials: CREDENTIALS, region: 'eu-west-1', service, at: new Date(1_800_000_000_000) },
  )

test('2,000 random requests have the headers that another implementation computes', () => {
  const random = createRandom(20_261_119)
  for (let round = 0; round < 2000; round++) {
    const { request, service, sessionToken, at } = randomRequest(random)
    const url = new URL(request.url)
    const credentials = { ...CREDENTIALS, ...(sessionToken && { sessionToken: new Secret(sessionToken) }) }
    const ours = signAwsRequest(request, { credentials, region: 'eu-west-1', service, at })
    const theirs = aws4.sign(
      {
        service,
        region: 'eu-west-1',
        host: url.host,
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...request.headers, 'x-amz-date': ours['x-amz-date'] },
        ...(request.body !== null && { body: request.body }),
      },
      {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: credentials.secretAccessKey.reveal(),
        ...(sessionToken && { sessionToken }),
      },
    )
    assert.equal(ours.authorization, theirs.headers?.Authorization, JSON.stringify({ request, service }))
  }
})

test('the signature changes with each signed part of the request', () => {
  const base = { url: 'https://example.com/a?b=1', headers: { 'x-api': '1' }, body: 'text' }
  const changes = [
    { method: 'POST' },
    { url: 'https://example.com/a?b=2' },
    { url: 'https://example.com/b?b=1' },
    { url: 'https://example.org/a?b=1' },
    { headers: { 'x-api': '2' } },
    { headers: {} },
    { body: 'other' },
  ]
  const signatures = [{}, ...changes].map(change => signatureOf(signed({ ...base, ...change })))
  assert.equal(new Set(signatures).size, changes.length + 1)
})

test('two spellings of a URL have one signature, and headers that clients add do not count', () => {
  const same = (a: Partial<SignableRequest>, b: Partial<SignableRequest>, service?: string) =>
    assert.equal(signatureOf(signed(a, service)), signatureOf(signed(b, service)))
  same({ url: 'https://example.com/?a=(1)&b=%7e' }, { url: 'https://example.com/?b=~&a=%281%29' })
  same({ url: 'https://example.com/?a=x+y' }, { url: 'https://example.com/?a=x%20y' })
  same({ url: 'https://example.com//a//b' }, { url: 'https://example.com/a/b' })
  same({ url: 'https://example.com/(a)%7e' }, { url: 'https://example.com/%28a%29~' }, 's3')
  same({ headers: { 'user-agent': 'a', traceparent: 'b' } }, { headers: {} })
  same({ headers: { 'X-Api': '1' } }, { headers: { 'x-api': ' 1 ' } })
  assert.notEqual(
    signatureOf(signed({ url: 'https://example.com//a' }, 's3')),
    signatureOf(signed({ url: 'https://example.com/a' }, 's3')),
  )
})

test('S3 gets the digest of the body as a header, other services do not', () => {
  const digest = '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1'
  assert.equal(signed({ body: 'text' }, 's3')['x-amz-content-sha256'], digest)
  assert.equal(signed({ body: 'text' }, 's3express')['x-amz-content-sha256'], digest)
  assert.equal(signed({ body: 'text' })['x-amz-content-sha256'], undefined)
})

const unique = (text: () => string): (() => string) => {
  let count = 0
  return () => `k${++count}${text()}`
}

const randomRequest = (random: Random) => {
  const text = (length: number) => randomText(random, length)
  const encoded = () => encodeURIComponent(text(random(6)))
  const path = list(1 + random(4), encoded).join('/')
  const service = ['s3', 'lambda', 'dynamodb', 'execute-api'][random(4)]!
  // aws4 signs only the first value of a repeated parameter of S3.
  const name = service === 's3' ? unique(encoded) : () => `k${random(3)}`
  const query = list(random(5), () => name() + (random(8) === 0 ? '' : `=${encoded()}`)).join('&')
  const headers = Object.fromEntries(
    list(random(4), () => [`x-h${random(9)}`, list(random(4), () => 'v  '.slice(0, 1 + random(3))).join('')]),
  )
  const body = random(2) === 0 ? null : text(random(40))
  return {
    request: {
      method: ['GET', 'PUT', 'DELETE', 'PATCH'][random(4)]!,
      url: `https://host-${random(9)}.example.com${random(2) === 0 ? ':8443' : ''}/${path}${query && `?${query}`}`,
      headers: {
        ...headers,
        ...(body !== null && {
          'content-type': 'text/plain',
          'content-length': `${Buffer.byteLength(body)}`,
        }),
      },
      body,
    },
    service,
    sessionToken: random(3) === 0 ? `token${random(1000)}` : undefined,
    at: new Date(1_400_000_000_000 + random(2_000_000_000) * 300),
  }
}
