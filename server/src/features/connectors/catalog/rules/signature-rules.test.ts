import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConnector } from '../read-connector.ts'

type Changed = Record<string, any>

const SCHEMES = {
  hmac: {
    type: 'hmac',
    secret: '{key}',
    algorithm: 'sha256',
    parts: ['method', 'timestamp', { text: '{id}' }],
    encoding: 'hex',
    headers: { 'X-Signature': '{id}:{signature}', 'X-Time': '{timestamp}' },
  },
  wsse: { type: 'wsse', username: '{id}', secret: '{key}' },
  oauth1: {
    type: 'oauth1',
    method: 'HMAC-SHA256',
    consumer_key: '{id}',
    consumer_secret: '{key}',
    token: '{id}',
    token_secret: '{key}',
    realm: '{tenant.site}',
  },
}

const fileWith = (scheme: keyof typeof SCHEMES): Changed => ({
  slug: 'acme',
  name: 'Acme',
  summary: 'Parts',
  categories: ['other'],
  documentation_url: 'https://acme.example/docs',
  tenant: [{ name: 'site', label: 'Site', secret: false, pattern: '^[a-z]+$' }],
  authorization: [
    {
      type: 'signature',
      fields: [
        { name: 'id', label: 'ID', secret: false },
        { name: 'key', label: 'Key', secret: true },
      ],
      scheme: structuredClone(SCHEMES[scheme]),
    },
  ],
  identity: { url: 'https://{tenant.site}.acme.example/me', account: '/email' },
  credential_origins: ['https://{tenant.site}.acme.example'],
  tools: [],
})

const mistakesIn = (file: Changed): string[] => {
  const read = readConnector(JSON.stringify(file), 'acme.json', { places: {}, slug: 'acme', rules: true })
  return 'problems' in read ? read.problems.map(({ path, reason }) => `${path}: ${reason}`) : []
}

for (const scheme of Object.keys(SCHEMES) as (keyof typeof SCHEMES)[])
  test(`signature rules: accepts ${scheme}`, () => assert.deepEqual(mistakesIn(fileWith(scheme)), []))

const cases: [
  name: string,
  scheme: keyof typeof SCHEMES,
  change: (method: Changed) => void,
  reason: RegExp,
][] = [
  [
    'a field that is not used',
    'wsse',
    m => (m.scheme.username = 'x'),
    /^fields\[0\]\.name: \{id\} is not used/,
  ],
  ['a repeated field', 'wsse', m => m.fields.push(m.fields[0]), /^fields\[2\]: id appears twice/],
  [
    'a field that is named like a value of the scheme',
    'hmac',
    m => (m.fields[0].name = 'nonce'),
    /^fields\[0\]\.name: nonce is a value of the scheme/,
  ],
  [
    'a key that is not secret',
    'wsse',
    m => (m.fields[1].secret = false),
    /^scheme\.secret: must contain a secret/,
  ],
  [
    'a secret that is sent as user name',
    'wsse',
    m => (m.scheme.username = '{id}{key}'),
    /^scheme\.username: \{key\} is secret, so it must not be sent/,
  ],
  [
    'a secret that is sent in a header',
    'hmac',
    m => (m.scheme.headers['X-Key'] = '{key}'),
    /^scheme\.headers: \{key\} is secret, so it must not be sent/,
  ],
  ['an unknown name', 'oauth1', m => (m.scheme.token = '{nope}'), /^scheme\.token: \{nope\} is unknown/],
  [
    'a signature that is not sent',
    'hmac',
    m => (m.scheme.headers['X-Signature'] = '{id}'),
    /^scheme\.headers: must contain \{signature\}/,
  ],
  [
    'a time that is signed and not sent',
    'hmac',
    m => delete m.scheme.headers['X-Time'],
    /^scheme\.headers: must contain \{timestamp\}, because it is signed/,
  ],
  [
    'an unknown name in a signed text',
    'hmac',
    m => (m.scheme.parts[2].text = '{nope}'),
    /^scheme\.parts\[2\]\.text: \{nope\} is unknown/,
  ],
  [
    'a part that is two things',
    'hmac',
    m => (m.scheme.parts[2].header = 'date'),
    /^scheme\.parts\[2\]: must contain either header or text/,
  ],
  ['an unknown part', 'hmac', m => (m.scheme.parts[0] = 'verb'), /^scheme\.parts\[0\]/],
  [
    'an unknown scheme',
    'hmac',
    m => (m.scheme.type = 'mac'),
    /^scheme\.type: must be one of hmac, wsse, oauth1/,
  ],
  [
    'a private key',
    'wsse',
    m => (m.fields[1].private_key = { type: 'rsa' }),
    /^fields\[1\]\.private_key: is only allowed for fields of token_request/,
  ],
]

for (const [name, scheme, change, reason] of cases)
  test(`signature rules: rejects ${name}`, () => {
    const file = fileWith(scheme)
    change(file.authorization[0])
    const mistakes = mistakesIn(file).map(mistake => mistake.replace(/^authorization\[0\]\./, ''))
    assert.ok(
      mistakes.some(mistake => reason.test(mistake)),
      mistakes.join('\n'),
    )
  })

test('signature rules: rejects signed requests to an MCP server', () => {
  const file = fileWith('wsse')
  file.mcp = { url: 'https://{tenant.site}.acme.example/mcp' }
  assert.match(
    mistakesIn(file).join('\n'),
    /authorization\[0\]\.type: cannot sign the requests of an MCP server/,
  )
})
