import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConnector } from '../read-connector.ts'

type Changed = Record<string, any>

const valid = (): Changed => ({
  slug: 'acme',
  name: 'Acme',
  summary: 'Photos',
  categories: ['files'],
  documentation_url: 'https://acme.example/docs',
  authorization: [
    {
      type: 'oauth1',
      request_token_endpoint: 'https://acme.example/request',
      authorization_endpoint: 'https://acme.example/authorize',
      access_token_endpoint: 'https://acme.example/access',
      extra_authorization_parameters: { oauth_callback: '{callback}' },
    },
  ],
  identity: { url: 'https://api.acme.example/me', account: '/email' },
  credential_origins: ['https://api.acme.example'],
  tools: [
    {
      name: 'search',
      title: 'Search',
      description: 'Searches.',
      input_schema: { type: 'object', properties: {}, additionalProperties: false },
      scopes: [],
      request: { method: 'GET', url: 'https://api.acme.example/photos' },
      read_only: true,
    },
  ],
})

const mistakesIn = (file: Changed): string => {
  const read = readConnector(JSON.stringify(file), 'acme.json', { places: {}, slug: 'acme', rules: true })
  return 'problems' in read ? read.problems.map(({ path, reason }) => `${path}: ${reason}`).join('\n') : ''
}

test('OAuth 1.0a rules: accepts a valid file', () => assert.equal(mistakesIn(valid()), ''))

const OAUTH2 = {
  type: 'oauth2',
  authorization_endpoint: 'https://acme.example/a',
  token_endpoint: 'https://acme.example/t',
  client_authentication: 'client_secret_post',
  pkce: 'S256',
  scopes: [],
}
const cases: [name: string, change: (file: Changed) => void, reason: RegExp][] = [
  [
    'an unknown name in a parameter',
    f => (f.authorization[0].extra_authorization_parameters.x = '{nope}'),
    /^authorization\[0\]\.extra_authorization_parameters: \{nope\} is unknown/m,
  ],
  [
    'two ways of signing in',
    f => f.authorization.push(OAUTH2),
    /^authorization: must contain at most one of oauth1 and oauth2/m,
  ],
  ['scopes of tools', f => (f.tools[0].scopes = ['read']), /^tools\[0\]\.scopes: must be empty/m],
  [
    'an MCP server',
    f => (f.mcp = { url: 'https://api.acme.example/mcp' }),
    /^authorization\[0\]\.type: cannot sign the requests of an MCP server/m,
  ],
  [
    'an endpoint without https',
    f => (f.authorization[0].access_token_endpoint = 'http://acme.example/access'),
    /^authorization\[0\]\.access_token_endpoint: must start with https/m,
  ],
  [
    'an endpoint at a host that a user enters',
    f => {
      f.tenant = [{ name: 'host', label: 'Host', secret: false, pattern: '^[a-z.]+$' }]
      f.authorization[0].request_token_endpoint = 'https://{tenant.host}/request'
    },
    /^authorization\[0\]\.request_token_endpoint: the client secret is sent here/m,
  ],
]

for (const [name, change, reason] of cases)
  test(`OAuth 1.0a rules: rejects ${name}`, () => {
    const file = valid()
    change(file)
    assert.match(mistakesIn(file), reason)
  })
