import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectorFile } from '@carabiner/contract'
import { Ajv } from 'ajv'
import { loadCatalog } from '../catalog.ts'
import { readConnector } from '../read-connector.ts'
import { withStandIns } from './connector-addresses.ts'
import { showProblem } from './connector-problem.ts'
import { schemaProblems } from './schema-problems.ts'

type Changed = Record<string, any>

/** A complete, small, valid file. Each case below breaks one rule. */
const valid = (): Changed => ({
  slug: 'acme',
  name: 'Acme',
  summary: 'Parts',
  categories: ['other'],
  documentation_url: 'https://acme.example/docs',
  tenant: [{ name: 'site', label: 'Site', secret: false, pattern: '^[a-z0-9-]+$' }],
  authorization: [
    {
      type: 'oauth2',
      authorization_endpoint: 'https://acme.example/authorize',
      token_endpoint: 'https://acme.example/token',
      client_authentication: 'client_secret_basic',
      pkce: 'S256',
      scopes: [{ name: 'read', title: 'Read' }],
      learned_values: [{ name: 'region', from: 'identity', at: '/region', pattern: '^[a-z]{2}$' }],
    },
    {
      type: 'api_key',
      fields: [{ name: 'api_key', label: 'Key', secret: true }],
      headers: { Authorization: 'Bearer {api_key}' },
    },
  ],
  identity: { url: 'https://{tenant.site}.acme.example/me', account: '/email' },
  credential_origins: ['https://{tenant.site}.acme.example', 'https://{tenant.region}.acme.example'],
  tools: [
    {
      name: 'get_part',
      title: 'Get a part',
      description: 'Gets one.',
      input_schema: {
        type: 'object',
        properties: { id: { type: 'string' }, q: { type: 'string', pattern: '^[a-z]+$' } },
        required: ['id'],
        additionalProperties: false,
      },
      scopes: ['read'],
      request: { method: 'GET', url: 'https://{tenant.region}.acme.example/parts/{id}', query: { q: '{q}' } },
      pagination: { type: 'page', parameter: 'page', first: 1 },
      read_only: true,
    },
  ],
})

const mistakesIn = (file: unknown): string[] => {
  const text = typeof file === 'string' ? file : JSON.stringify(file, null, 2)
  const read = readConnector(text, 'acme.json', {
    places: {},
    slug: 'acme',
    rules: true,
  })
  return 'problems' in read ? read.problems.map(({ path, reason }) => `${path}: ${reason}`) : []
}

const site = (changes: object = {}) => ({
  name: 'cloud',
  url: 'https://eu.acme.example/sites',
  list: '',
  value: '/id',
  title: '/name',
  pattern: '^[a-z]+$',
  ...changes,
})
/** Adds a list of sites to a valid file, with the given change. */
const withSite = (file: Changed, changes: object = {}): void => {
  file.credential_origins.push('https://eu.acme.example', 'https://{tenant.cloud}.acme.example')
  oauth(file).site = site(changes)
}

const tool = (file: Changed): Changed => file.tools[0]
const preview = (changes: object = {}) => ({
  tool: 'get_part',
  arguments: { id: '{id}' },
  fields: [{ label: 'Part', at: '/name' }],
  ...changes,
})
/** Adds a tool that writes, with a preview that has the given change. */
const withPreview = (file: Changed, changes: object): void => {
  file.tools.push({
    name: 'set_part',
    title: 'Set a part',
    description: 'Sets one.',
    input_schema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    scopes: ['read'],
    request: { method: 'POST', url: 'https://{tenant.region}.acme.example/parts/{id}' },
    read_only: false,
    effects: [],
    roles: { id: 'target' },
    preview: [preview(changes)],
  })
}
const oauth = (file: Changed): Changed => file.authorization[0]
const key = (file: Changed): Changed => file.authorization[1]

const REGIONS = [
  { value: 'eu', label: 'Europe' },
  { value: 'us', label: 'United States' },
]

/** Replaces the key of a valid file by a token request, with the given change. */
const withTokenRequest = (file: Changed, change: (method: Changed) => void): void => {
  const method: Changed = {
    type: 'token_request',
    fields: [
      { name: 'client_id', label: 'Client ID', secret: false },
      { name: 'pem', label: 'Private key', secret: true, private_key: { type: 'rsa' } },
    ],
    computed: { proof: { text: '{client_id}', hash: 'sha256', encoding: 'hex' } },
    assertions: {
      login: { algorithm: 'RS256', key: 'pem', claims: { iss: '{client_id}' }, lifetime_seconds: 60 },
    },
    token_origins: ['https://acme.example'],
    requests: [
      {
        url: 'https://acme.example/token',
        form: { assertion: '{assertion.login}', proof: '{computed.proof}' },
        values: { token: '/token', lifetime: '/lifetime' },
      },
    ],
    token: {
      value: '{value.token}',
      expires_in: { value: 'lifetime', unit: 'seconds' },
      lifetime_seconds: 60,
    },
  }
  change(method)
  file.authorization[1] = method
}
const token =
  (change: (method: Changed) => void) =>
  (file: Changed): void =>
    withTokenRequest(file, change)
const inMethod = (rest: string): RegExp => new RegExp(`^authorization\\[1\\]${rest}`)

test('connector rules: accepts a token request', () => {
  const file = valid()
  withTokenRequest(file, () => {})
  assert.deepEqual(mistakesIn(file), [])
})

/** Adds a certificate and its key to the fields of the token request. */
const withCertificate =
  (change: (certificate: Changed, method: Changed) => void = () => {}) =>
  (file: Changed): void =>
    withTokenRequest(file, method => {
      const certificate: Changed = {
        name: 'certificate',
        label: 'Certificate',
        secret: false,
        client_certificate: { private_key: 'certificate_key' },
      }
      const itsKey = { name: 'certificate_key', label: 'Key', secret: true, private_key: { type: 'rsa' } }
      method.fields.push(certificate, itsKey)
      change(certificate, method)
    })

test('connector rules: accepts a client certificate', () => {
  const file = valid()
  withCertificate()(file)
  assert.deepEqual(mistakesIn(file), [])
})

/** Adds a certificate that an assertion refers to, and its key. */
const withThumbprint =
  (change: (certificate: Changed, method: Changed) => void = () => {}) =>
  (file: Changed): void =>
    withCertificate((certificate, method) => {
      certificate.certificate = certificate.client_certificate
      delete certificate.client_certificate
      method.assertions = {
        ...method.assertions,
        dated: {
          algorithm: 'RS256',
          key: 'certificate_key',
          header: { x5t: '{x5t.certificate}', 'x5t#S256': '{x5t_s256.certificate}' },
          claims: {},
          lifetime_seconds: 300,
        },
      }
      change(certificate, method)
    })(file)

test('connector rules: accepts the thumbprints of a certificate in an assertion', () => {
  const file = valid()
  withThumbprint()(file)
  assert.deepEqual(mistakesIn(file), [])
})

/** Replaces the key of a valid file by an AWS access key, with the given change. */
const withAws = (file: Changed, change: (method: Changed) => void = () => {}): void => {
  file.authorization[1] = {
    type: 'aws_signature',
    fields: [
      { name: 'access_key_id', label: 'ID', secret: false },
      { name: 'secret_access_key', label: 'Secret', secret: true },
    ],
    endpoints: file.credential_origins.map((origin: string) => ({
      origin,
      service: 's3',
      region: '{tenant.site}',
    })),
  }
  change(key(file))
}

const lifetime = (rules: object): object => ({
  ...rules,
  source: 'https://acme.example/tokens',
  checked_on: '2026-11-19',
})

test('connector rules: accepts lifetimes of tokens and keys', () => {
  const file = valid()
  oauth(file).lifetime = lifetime({ idle_days: 30, max_days: 365, test_mode_days: 7, password_change: true })
  key(file).lifetime = lifetime({ rotate_days: 90 })
  assert.deepEqual(mistakesIn(file), [])
})

const STATED_END = { source: 'https://acme.example/keys', checked_on: '2026-11-19' }

/** Name of the case, change to the file, and expected message. */
const cases: [name: string, change: (file: Changed) => void, reason: RegExp][] = [
  [
    'a client certificate without its key',
    withCertificate(certificate => (certificate.client_certificate.private_key = 'client_secret')),
    inMethod(
      /\.fields\[\d\]\.client_certificate\.private_key: must be the name of a field with private_key/.source,
    ),
  ],
  [
    'a client certificate that is a private key',
    withCertificate(certificate => (certificate.private_key = { type: 'rsa' })),
    inMethod(/\.fields\[\d\]\.private_key: must not be set with client_certificate/.source),
  ],
  [
    'two client certificates',
    withCertificate((certificate, method) => method.fields.push({ ...certificate, name: 'second' })),
    inMethod(/\.fields: must contain at most one client_certificate/.source),
  ],
  [
    'a client certificate for an MCP server',
    f => withCertificate()(f) ?? (f.mcp = { url: 'https://{tenant.site}.acme.example/mcp' }),
    /authorization\[1\]\.fields: must not contain a client_certificate for an MCP server/m,
  ],
  [
    'an account name with a secret',
    f => (f.identity.account = ['/email', 'key {api_key}']),
    /^identity\.account: \{api_key\} is unknown/m,
  ],
  [
    'an account name with a value that nobody enters',
    f => (f.identity.account = '{tenant.nope}'),
    /^identity\.account: \{tenant\.nope\} is unknown; known: .*\{tenant\.site\}/m,
  ],
  [
    'an end of a key that is read in two places',
    f => (f.identity.ends_at = { ...STATED_END, at: '/expires_at', header: 'x-expires' }),
    /^identity\.ends_at: must contain either at or header/m,
  ],
  [
    'an end of a key at another origin',
    f => (f.identity.ends_at = { ...STATED_END, url: 'https://evil.example/key', at: '/expires_at' }),
    /^identity\.ends_at\.url: is not on one of credential_origins/m,
  ],
  [
    'an end of a key without a key',
    f => {
      f.identity.ends_at = { ...STATED_END, header: 'x-expires' }
      withTokenRequest(f, () => {})
    },
    /^identity\.ends_at: is only read for keys that a user enters/m,
  ],
  [
    'a certificate without its key',
    withThumbprint(({ certificate }) => (certificate.private_key = 'client_secret')),
    inMethod(/\.fields\[\d\]\.certificate\.private_key: must be the name of a field with private_key/.source),
  ],
  [
    'a certificate whose thumbprint is not used',
    withThumbprint((_, method) => delete method.assertions.dated.header),
    inMethod(/\.fields\[\d\]\.name: \{certificate\} is not used/.source),
  ],
  [
    'the thumbprint of a field that is not a certificate',
    withThumbprint((_, method) => (method.assertions.dated.header.x5t = '{x5t.client_id}')),
    inMethod(/\.assertions\.dated: \{x5t\.client_id\} is unknown/.source),
  ],
  [
    'a certificate that is presented and not presented',
    withCertificate(certificate => (certificate.certificate = { private_key: 'certificate_key' })),
    inMethod(/\.fields\[\d\]\.certificate: must not be set with client_certificate/.source),
  ],
  [
    'an optional certificate',
    withThumbprint(certificate => (certificate.optional = true)),
    inMethod(/\.fields\[\d\]\.optional: must not be set for a certificate/.source),
  ],
  [
    'a client certificate of an API key',
    f => (key(f).fields[0].client_certificate = { private_key: 'x' }),
    /^authorization\[1\]\.fields\[0\]\.client_certificate: is only allowed for fields of token_request/,
  ],
  [
    'a slug that differs from the file name',
    f => (f.slug = 'other'),
    /^slug: is other, but the file is named acme\.json/,
  ],
  [
    'a misspelled field',
    f => (f.sumary = f.summary) && delete f.summary,
    /^sumary: is not a known field; did you mean summary\?/,
  ],
  ['a missing field', f => delete f.summary, /^: summary is missing/],
  [
    'a value outside its list',
    f => (oauth(f).pkce = 's256'),
    /^authorization\[0\]\.pkce: must be one of S256, undocumented, rejected; did you mean S256\?/,
  ],
  [
    'a lifetime that states nothing',
    f => (key(f).lifetime = lifetime({})),
    /^authorization\[1\]\.lifetime: must state what ends a credential/,
  ],
  [
    'an idle limit beyond the maximum lifetime',
    f => (oauth(f).lifetime = lifetime({ idle_days: 90, max_days: 90 })),
    /^authorization\[0\]\.lifetime\.idle_days: must be less than max_days/,
  ],
  [
    'a lifetime of test mode for a key',
    f => (key(f).lifetime = lifetime({ test_mode_days: 7 })),
    /^authorization\[1\]\.lifetime\.test_mode_days: is only allowed for oauth2/,
  ],
  [
    'a rotation of tokens',
    f => (oauth(f).lifetime = lifetime({ rotate_days: 90 })),
    /^authorization\[0\]\.lifetime\.rotate_days: is only allowed for keys/,
  ],
  [
    'a lifetime without a source',
    f => (key(f).lifetime = { max_days: 365, checked_on: '2026-11-19' }),
    /^authorization\[1\]\.lifetime\.?: source is missing/,
  ],
  [
    'a lifetime of no days',
    f => (key(f).lifetime = lifetime({ max_days: 0 })),
    /^authorization\[1\]\.lifetime\.max_days: must be/,
  ],
  [
    'an AWS key without its secret',
    f => withAws(f, aws => (aws.fields[1].name = 'session_token')),
    /^authorization\[1\]\.fields: must contain a field named secret_access_key/,
  ],
  [
    'an unknown field of an AWS key',
    f => withAws(f, aws => aws.fields.push({ name: 'role', label: 'Role', secret: false })),
    /^authorization\[1\]\.fields\[2\]\.name: must be one of access_key_id, secret_access_key, session_token/,
  ],
  [
    'a repeated field of an AWS key',
    f => withAws(f, aws => aws.fields.push(aws.fields[0])),
    /^authorization\[1\]\.fields\[2\]\.name: access_key_id is listed twice/,
  ],
  [
    'a visible AWS key',
    f => withAws(f, aws => (aws.fields[1].secret = false)),
    /^authorization\[1\]\.fields\[1\]\.secret: must be true/,
  ],
  [
    'choices for an AWS key',
    f => withAws(f, aws => (aws.fields[0].choices = REGIONS)),
    /^authorization\[1\]\.fields\[0\]\.choices: is only allowed for fields of tenant/,
  ],
  [
    'a private key as a field of an AWS key',
    f => withAws(f, aws => (aws.fields[1].private_key = { type: 'rsa' })),
    /^authorization\[1\]\.fields\[1\]\.private_key: is only allowed for fields of token_request/,
  ],
  [
    'an invalid pattern of an AWS key',
    f => withAws(f, aws => (aws.fields[0].pattern = '(')),
    /^authorization\[1\]\.fields\[0\]\.pattern: is not a valid regular expression/,
  ],
  [
    'an origin whose requests could not be signed',
    f => withAws(f, aws => aws.endpoints.pop()),
    /^authorization\[1\]\.endpoints: must contain the origin https:\/\/\{tenant\.region\}\.acme\.example/,
  ],
  [
    'a signature for an origin that gets no credential',
    f => withAws(f, aws => aws.endpoints.push({ origin: 'https://b.example', service: 's3', region: 'r' })),
    /^authorization\[1\]\.endpoints\[2\]\.origin: is not one of credential_origins/,
  ],
  [
    'an unknown name in a region',
    f => withAws(f, aws => (aws.endpoints[0].region = '{tenant.nope}')),
    /^authorization\[1\]\.endpoints\[0\]\.region: \{tenant\.nope\} is unknown/,
  ],
  [
    'signed requests to an MCP server',
    f => withAws(f) ?? (f.mcp = { url: 'https://{tenant.site}.acme.example/mcp' }),
    /authorization\[1\]\.type: cannot sign the requests of an MCP server/m,
  ],
  [
    'an unknown type of method',
    f => (oauth(f).type = 'oauth'),
    /^authorization\[0\]\.type: must be one of oauth2, api_key, token_request, aws_signature, signature, oauth1; did you mean oauth2\?/,
  ],
  [
    'a method without a type',
    f => delete key(f).type,
    /^authorization\[1\]: type is missing; it must be one of/,
  ],
  [
    'a pagination with a missing field',
    f => (tool(f).pagination = { type: 'cursor', parameter: 'x' }),
    /^tools\[0\]\.pagination: next is missing/,
  ],
  [
    'an error value with two meanings',
    f => (f.errors = { code: '/error', unauthorized: ['ended'], revoked: ['ended'] }),
    /^errors: ended has two meanings/,
  ],
  [
    'a declared revocation that is never read',
    f => (f.errors = { revoked: ['ended'] }),
    /^errors\.revoked: is not read without code/,
  ],
  [
    'a key and a token request',
    f => {
      const apiKey = key(f)
      withTokenRequest(f, () => {})
      f.authorization[0] = apiKey
    },
    /^authorization: must contain at most one method with a form/,
  ],
  [
    'an optional part of an address',
    f => (f.tenant[0].optional = true),
    /^tenant\[0\]\.optional: must not be set, because addresses need the value/,
  ],
  [
    'an optional value that cannot be omitted',
    token(m => (m.fields[0].optional = true)),
    inMethod('\\.fields\\[0\\]\\.optional: must not be set, because \\{client_id\\} cannot be omitted'),
  ],
  [
    'an optional private key',
    token(m => (m.fields[1].optional = true)),
    inMethod('\\.fields: must contain a secret field that is not optional'),
  ],
  [
    'an optional access key',
    f => withAws(f, aws => (aws.fields[0].optional = true)),
    /must contain a field named access_key_id that is not optional/m,
  ],
  [
    'a token request to another origin',
    token(m => (m.requests[0].url = 'https://evil.example/token')),
    inMethod('\\.requests\\[0\\]\\.url: is not on one of token_origins'),
  ],
  [
    'a token request to a host that a field determines',
    token(m => (m.requests[0].url = 'https://{client_id}.acme.example/token')),
    inMethod('\\.requests\\[0\\]\\.url: \\{client_id\\} must not be part of the host'),
  ],
  ['token requests without origins', token(m => delete m.token_origins), /token_origins is missing/],
  [
    'a value of a later response',
    token(m => (m.requests[0].form.x = '{value.token}')),
    inMethod('\\.requests\\[0\\](?:\\.form\\.x)?: \\{value\\.token\\} is unknown'),
  ],
  [
    'an assertion whose key has another type',
    token(m => (m.assertions.login.algorithm = 'ES256')),
    inMethod('\\.assertions\\.login\\.key: ES256 needs a field with private_key of the type p256'),
  ],
  [
    'an assertion with a key that is no field',
    token(m => (m.assertions.login.key = 'other')),
    inMethod('\\.assertions\\.login\\.key: must be the name of a secret field'),
  ],
  [
    'a lifetime that no response contains',
    token(m => (m.token.expires_in.value = 'other')),
    inMethod('\\.token\\.expires_in\\.value: other is not among the values of a request'),
  ],
  [
    'two bodies of a token request',
    token(m => (m.requests[0].json = {})),
    inMethod('\\.requests\\[0\\]: must contain only one of form, json and text'),
  ],
  [
    'a value for addresses without a pattern',
    token(m => (m.requests[0].values.host = { at: '/host', address: true })),
    inMethod('\\.requests\\[0\\]\\.values\\.host: needs a pattern'),
  ],
  [
    'a lifetime of a token above the maximum',
    token(m => (m.token.lifetime_seconds = 40_000_000)),
    inMethod('\\.token\\.lifetime_seconds: must be at most 31536000'),
  ],
  [
    'token headers without the token',
    token(m => (m.headers = { 'x-id': '{client_id}' })),
    inMethod('\\.headers: must contain \\{token\\}'),
  ],
  [
    'an HMAC without a key',
    token(m => (m.computed.proof = { text: 'x', hmac: 'sha256', encoding: 'hex' })),
    inMethod('\\.computed\\.proof: must contain hmac and key together'),
  ],
  [
    'a private key as a field of an API key',
    f => (key(f).fields[0].private_key = { type: 'rsa' }),
    inMethod('\\.fields\\[0\\]\\.private_key: is only allowed for fields of token_request'),
  ],
  ['a duplicate category', f => (f.categories = ['other', 'other']), /^categories: contains a duplicate/],
  ['a list instead of a string', f => (f.name = ['Acme']), /^name: must be a string/],
  [
    'a duplicate method',
    f => (f.authorization[1] = f.authorization[0]),
    /^authorization: contains a duplicate method/,
  ],
  ['no method', f => (f.authorization = []), /^authorization: must contain a method, unless mcp/],
  [
    'a list of sites on another origin',
    f => withSite(f, { url: 'https://evil.example/sites' }),
    /^authorization\[0\]\.site\.url: is not on one of credential_origins/,
  ],
  [
    'a list of sites on the host of the site',
    f => withSite(f, { url: 'https://{tenant.cloud}.acme.example/sites' }),
    /^authorization\[0\]\.site\.url: \{tenant\.cloud\} is unknown/,
  ],
  [
    'a further value of a site that no address uses',
    f => withSite(f, { sets: [{ name: 'extra', at: '/host', pattern: '^[a-z]+$' }] }),
    /^authorization\[0\]\.site\.sets\[0\]\.name: \{tenant\.extra\} is not used in any address/,
  ],
  [
    'a further value of a site that may be any host',
    f => {
      withSite(f, { sets: [{ name: 'extra', at: '/host', pattern: '.+' }] })
      f.credential_origins.push('https://{tenant.extra}.acme.example')
    },
    /\{tenant\.extra\} is part of the host, so its pattern must not allow/,
  ],
  [
    'a writing tool without effects',
    f => (tool(f).read_only = false),
    /^tools\[0\]: must have effects, because it is not read-only; \[\] if it has none of them/,
  ],
  [
    'a read-only tool with effects',
    f => (tool(f).effects = ['sends']),
    /^tools\[0\]\.effects: must not be set for a read-only tool/,
  ],
  [
    'an unknown effect',
    f => Object.assign(tool(f), { read_only: false, effects: ['send'] }),
    /^tools\[0\]\.effects\[0\]: must be one of sends, shares, pays, deletes, suspends, irreversible/,
  ],
  [
    'a tool that writes and has no roles',
    f => Object.assign(tool(f), { read_only: false, effects: [] }),
    /^tools\[0\]\.roles: must contain id, q, because the tool writes; none for an argument without a role/,
  ],
  [
    'an optional argument without a role',
    f => Object.assign(tool(f), { read_only: false, effects: ['sends'], roles: { id: 'target' } }),
    /^tools\[0\]\.roles: must contain q, because the tool writes/,
  ],
  [
    'a preview of a read-only tool',
    f => (tool(f).preview = [preview()]),
    /^tools\[0\]\.preview: must not be set for a read-only tool/,
  ],
  [
    'a preview with a tool that writes',
    f => withPreview(f, { tool: 'set_part' }),
    /^tools\[1\]\.preview\[0\]\.tool: set_part must be read-only/,
  ],
  [
    'a preview with a tool that does not exist',
    f => withPreview(f, { tool: 'get_parts' }),
    /^tools\[1\]\.preview\[0\]\.tool: get_parts is not a tool of this file/,
  ],
  [
    'a preview without an argument that its tool requires',
    f => withPreview(f, { arguments: { q: 'x' } }),
    /^tools\[1\]\.preview\[0\]\.arguments: must contain id, which get_part requires/,
  ],
  [
    'a preview with an argument that its tool does not have',
    f => withPreview(f, { arguments: { id: '{id}', name: 'x' } }),
    /^tools\[1\]\.preview\[0\]\.arguments\.name: is not an argument of get_part/,
  ],
  [
    'a preview with an argument that the call does not have',
    f => withPreview(f, { arguments: { id: '{part}' } }),
    /^tools\[1\]\.preview\[0\]\.arguments(?:\.id)?: \{part\} is unknown; known: \{id\}/,
  ],
  [
    'a preview of a field that the result does not have',
    f => {
      delete tool(f).pagination
      tool(f).result = { fields: { title: '/title' } }
      withPreview(f, {})
    },
    /^tools\[1\]\.preview\[0\]\.fields\[0\]\.at: must begin with a field of the result of get_part/,
  ],
  [
    'a role of an argument that does not exist',
    f => (tool(f).roles = { id: 'target', to: 'recipient' }),
    /^tools\[0\]\.roles\.to: is not an argument of the tool/,
  ],
  [
    'an unknown role',
    f => (tool(f).roles = { id: 'recipients' }),
    /^tools\[0\]\.roles\.id: must be one of recipient, amount, target, text, file, none; did you mean recipient\?/,
  ],
  [
    'a path encoding of an argument that is not in the path',
    f => (tool(f).request.path_encoding = { elsewhere: 'segments' }),
    /^tools\[0\]\.request\.path_encoding\.elsewhere: \{elsewhere\} is not in the path of the URL/,
  ],
  [
    'a continuation on another origin',
    f =>
      (tool(f).pagination = {
        type: 'continuation',
        next: '/next',
        url: 'https://evil.example/next/{cursor}',
      }),
    /^tools\[0\]\.pagination\.url: is not on one of credential_origins/,
  ],
  [
    'a continuation without the cursor',
    f =>
      (tool(f).pagination = {
        type: 'continuation',
        next: '/next',
        url: 'https://{tenant.site}.acme.example/next',
      }),
    /^tools\[0\]\.pagination: \{cursor\} must be part of url or body/,
  ],
  [
    'a query parameter that pagination sets to another value',
    f => {
      tool(f).pagination = { type: 'page', parameter: 'page', first: 1 }
      tool(f).request.query = { ...tool(f).request.query, page: '1' }
    },
    /^tools\[0\]\.request\.query\.page: is set by pagination; remove it/,
  ],
  [
    'a verification without a version',
    f =>
      (f.source = {
        documents: ['https://acme.example/docs'],
        checked_on: '2026-01-31',
        verified: [{ name: 'acme/openapi', date: '2026-01-31' }],
      }),
    /^source\.verified\[0\]: version is missing/,
  ],
  [
    'a site that may be any host',
    f => withSite(f, { pattern: '.+' }),
    /\{tenant\.cloud\} is part of the host, so its pattern must not allow/,
  ],
  [
    'a site with the name of a tenant field',
    f => (oauth(f).site = site({ name: 'site', url: 'https://{tenant.site}.acme.example/sites' })),
    /^authorization\[0\]\.site\.name: site is also a tenant field/,
  ],
  [
    'a site that no address uses',
    f => (oauth(f).site = site({ url: 'https://{tenant.site}.acme.example/sites' })),
    /^authorization\[0\]\.site\.name: \{tenant\.cloud\} is not used in any address/,
  ],
  ['no identity', f => delete f.identity, /identity is missing/],
  [
    'an invalid address',
    f => (oauth(f).token_endpoint = 'https://'),
    /^authorization\[0\]\.token_endpoint: is not a valid address/,
  ],
  [
    'http',
    f => (oauth(f).token_endpoint = 'http://acme.example/token'),
    /token_endpoint: must start with https/,
  ],
  [
    'a password in an address',
    f => (oauth(f).token_endpoint = 'https://a:b@acme.example/'),
    /must not contain a user name or password/,
  ],
  [
    'an origin with a path',
    f => f.credential_origins.push('https://x.example/v1'),
    /^credential_origins\[2\]: must be an origin/,
  ],
  [
    'a tool on another origin',
    f => (tool(f).request.url = 'https://evil.example/{id}'),
    /^tools\[0\]\.request\.url: is not on one of credential_origins/,
  ],
  [
    'an identity on another origin',
    f => (f.identity.url = 'https://evil.example/me'),
    /^identity\.url: is not on one of credential_origins/,
  ],
  [
    'an argument in the host',
    f => (tool(f).request.url = 'https://{id}.acme.example/'),
    /\{id\} must not be part of the host/,
  ],
  [
    'an unknown tenant',
    f => (f.identity.url = 'https://{tenant.sit}.acme.example/me'),
    /\{tenant\.sit\} is unknown/,
  ],
  [
    'an identity URL that needs a result of identity',
    f => (f.identity.url = 'https://{tenant.region}.acme.example/me'),
    /^identity\.url: \{tenant\.region\} is unknown/,
  ],
  ['a host without a pattern', f => delete f.tenant[0].pattern, /is part of the host, so it needs a pattern/],
  ['a host with a loose pattern', f => (f.tenant[0].pattern = '^.+$'), /its pattern must not allow "\/:@\?#/],
  ['a host with a negated pattern', f => (f.tenant[0].pattern = '^[^/]+$'), /its pattern must not allow ":@/],
  ['a secret tenant', f => (f.tenant[0].secret = true), /^tenant\[0\]\.secret: must be false/],
  [
    'an unused tenant',
    f => f.tenant.push({ name: 'zone', label: 'Zone', secret: false }),
    /\{tenant\.zone\} is not used/,
  ],
  [
    'a choice in a key’s field',
    f => (key(f).fields[0].choices = REGIONS),
    /^authorization\[1\]\.fields\[0\]\.choices: is only allowed for fields of tenant/,
  ],
  [
    'a pattern beside choices',
    f => (f.tenant[0].choices = REGIONS),
    /^tenant\[0\]\.pattern: must not be set with choices/,
  ],
  [
    'a duplicate choice',
    f => (f.tenant[0].choices = [REGIONS[0], REGIONS[0]]),
    /^tenant\[0\]\.choices\[1\]: eu appears twice/,
  ],
  [
    'a choice that sets fewer values than the others',
    f => (f.tenant[0].choices = [{ ...REGIONS[0], sets: { host: 'eu.acme.example' } }, REGIONS[1]]),
    /^tenant\[0\]\.choices\[1\]: must set host, as the other choices do/,
  ],
  [
    'a choice that changes the domain',
    f => (f.tenant[0].choices = [REGIONS[0], { value: 'us.evil.example/', label: 'US' }]),
    /^tenant\[0\]\.choices\[1\]\.value: /,
  ],
  [
    'a choice that sets the value of another field',
    f => (f.tenant[0].choices = REGIONS.map(choice => ({ ...choice, sets: { site: 'x' } }))),
    /site appears twice/,
  ],
  [
    'a common header that is reserved',
    f => (f.headers = { Host: 'evil.example' }),
    /^headers\.Host: is a header that a connector file must not set/,
  ],
  ['a common header with an argument', f => (f.headers = { 'X-Id': '{id}' }), /^headers: \{id\} is unknown/],
  [
    'a slow pattern',
    f => (tool(f).input_schema.properties.q.pattern = '^(a+)+$'),
    /properties\.q\.pattern: can take very long/,
  ],
  [
    'a broken pattern',
    f => (f.tenant[0].pattern = '['),
    /^tenant\[0\]\.pattern: is not a valid regular expression/,
  ],
  ['look-around', f => (f.tenant[0].pattern = '(?=a)a'), /must not use look-around/],
  ['a tool’s query in its address', f => (tool(f).request.url += '?a=1'), /use the query field/],
  ['a duplicate tool', f => f.tools.push(f.tools[0]), /^tools\[1\]\.name: get_part appears twice/],
  ['a name too long', f => (f.slug = 'x'.repeat(60)), /makes x+__get_part, which is 70 characters long/],
  [
    'an open schema',
    f => delete tool(f).input_schema.additionalProperties,
    /input_schema: must have "additionalProperties": false/,
  ],
  [
    'a schema that is not an object',
    f => (tool(f).input_schema = { type: 'string' }),
    /input_schema: must have "type": "object"/,
  ],
  [
    'a misspelled keyword',
    f => (tool(f).input_schema.properties.q.maxLenght = 3),
    /is not a valid schema: .*maxLenght/,
  ],
  [
    'an invalid keyword value',
    f => (tool(f).input_schema.properties.q.maxLength = 'x'),
    /is not a valid schema/,
  ],
  [
    'a reference',
    f => (tool(f).input_schema.properties.q = { $ref: 'https://x.example' }),
    /must not be a reference/,
  ],
  [
    'an unknown argument',
    f => (tool(f).request.query.z = '{z}'),
    /^tools\[0\]\.request\.query: \{z\} is unknown/,
  ],
  [
    'an argument that is not used',
    f => (tool(f).input_schema.properties.z = { type: 'string' }),
    /\{z\} is not used in the request/,
  ],
  [
    'a path argument that is optional',
    f => (tool(f).input_schema.required = []),
    /id is part of the path, so it must be required/,
  ],
  [
    'an unknown required name',
    f => tool(f).input_schema.required.push('zz'),
    /zz is not one of the properties/,
  ],
  [
    'its own cursor argument',
    f => (tool(f).input_schema.properties.cursor = { type: 'string' }),
    /is added by the service for paginated tools/,
  ],
  ['a parameter set twice', f => (tool(f).request.query.page = '1'), /is set by pagination/],
  [
    'a scope that is not requested',
    f => (tool(f).scopes = [['read', 'write']]),
    /write is not one of the scopes/,
  ],
  ['a GET with a body', f => (tool(f).request.body = {}), /must not be set with GET/],
  [
    'a read-only DELETE',
    f => (tool(f).request.method = 'DELETE'),
    /read_only: must be false: DELETE changes/,
  ],
  [
    'a header that is reserved',
    f => (tool(f).request.headers = { Host: 'evil.example' }),
    /is a header that a connector file must not set/,
  ],
  ['an invalid header name', f => (tool(f).request.headers = { 'a b': 'x' }), /is not a valid header name/],
  [
    'a line break in a header',
    f => (tool(f).request.headers = { a: 'x\r\ny: z' }),
    /contains a character that is not allowed in a header/,
  ],
  ['a key that is not sent', f => delete key(f).headers, /must contain headers or basic/],
  [
    'a field that is not sent',
    f => key(f).fields.push({ name: 'b', label: 'B', secret: true }),
    /\{b\} is not used in any header/,
  ],
  ['a key without a secret', f => (key(f).fields[0].secret = false), /must contain a secret field/],
  ['an unknown field in a header', f => (key(f).headers.x = '{nope}'), /\{nope\} is unknown/],
  [
    'an unknown mail field',
    f => Object.assign(tool(f).request, { method: 'POST', body: { raw: { $mime: { from: 'x' } } } }),
    /is not a field of a message/,
  ],
  [
    'a redirect of a POST',
    f => Object.assign(tool(f).request, { method: 'POST', redirect_hosts: ['files.example.com'] }),
    /redirect_hosts: is only for GET/,
  ],
  [
    'a redirect to every host',
    f => (tool(f).request.redirect_hosts = ['*']),
    /^tools\[0\]\.request\.redirect_hosts\[0\]: /,
  ],
  [
    'a text body that is not a string',
    f => Object.assign(tool(f).request, { method: 'POST', body_type: 'text', body: { a: '{q}' } }),
    /request\.body: must be a string/,
  ],
  [
    'a related body without parts',
    f => Object.assign(tool(f).request, { method: 'POST', body_type: 'related', body: { a: '{q}' } }),
    /request\.body: must be a list of/,
  ],
  [
    'base64 with another member',
    f => Object.assign(tool(f).request, { method: 'POST', body: { a: { $base64: '{q}', b: 1 } } }),
    /\$base64"?\]?: must be the only member/,
  ],
  [
    'tools together with mcp',
    f => (f.mcp = { url: 'https://{tenant.site}.acme.example/mcp' }),
    /must be empty if mcp is set/,
  ],
]

const onHost = (f: Changed, host: string, pattern?: string): void => {
  oauth(f).token_endpoint = `https://${host}/token`
  if (pattern !== undefined) f.tenant[0].pattern = pattern
}

for (const [host, pattern] of [
  ['{tenant.site}', '^[a-z0-9.-]+$'],
  ['login.{tenant.site}', '^[a-z0-9-]+\\.[a-z]{2,}$'],
  ['{tenant.site}.com', undefined],
  ['{tenant.site}', '^[a-z0-9-]+\\.com$'],
  ['{tenant.site}', '^[a-z0-9.-]*acme\\.com$'],
  ['{tenant.site}', '^[a-z]+\\.acme\\.com|[a-z.]+$'],
  ['{tenant.site}', '^[a-z]+\\.acme\\.(com|[a-z]+)$'],
  ['{tenant.site}acme.example', undefined],
] as const)
  test(`oauth: rejects the token endpoint ${host} with the pattern ${pattern ?? 'of a label'}`, () => {
    const file = valid()
    onHost(file, host, pattern)
    assert.match(
      mistakesIn(file).join('\n'),
      /^authorization\[0\]\.token_endpoint: the client secret is sent here, so \{tenant\.site\} must not determine the whole host/m,
    )
  })

test('oauth: accepts a host that the user completes within a fixed domain', () => {
  for (const [host, pattern] of [
    ['{tenant.site}.acme.example', undefined],
    ['{tenant.site}', '^[a-z0-9-]{1,63}\\.(acme|acme-eu)\\.com$'],
    ['api.{tenant.site}', '^((us3|us5)\\.)?acme\\.com$|^acme\\.eu$'],
  ] as const) {
    const file = valid()
    onHost(file, host, pattern)
    assert.deepEqual(
      mistakesIn(file).filter(mistake => mistake.includes('client secret')),
      [],
      host,
    )
  }
})

test('oauth: accepts a host that the user chooses from the values of the file', () => {
  const file = valid()
  delete file.tenant[0].pattern
  file.tenant[0].choices = REGIONS.map(choice => ({
    ...choice,
    sets: { login: `${choice.value}.acme.example` },
  }))
  onHost(file, '{tenant.login}')
  assert.deepEqual(mistakesIn(file), [])
})

test('oauth: rejects an endpoint whose host is a parameter of the callback', () => {
  const file = valid()
  oauth(file).learned_values.push({ name: 'host', from: 'callback', at: 'host', pattern: '^[a-z0-9.-]+$' })
  oauth(file).refresh = { rotates: true, endpoint: 'https://{tenant.host}/token' }
  assert.match(mistakesIn(file).join('\n'), /refresh\.endpoint: the client secret is sent here/)
})

test('connector rules: the file that the cases modify is valid', () =>
  assert.deepEqual(mistakesIn(valid()), []))

test('connector rules: a file with a list of sites is valid', () => {
  const file = valid()
  withSite(file)
  assert.deepEqual(mistakesIn(file), [])
})

for (const [name, change, reason] of cases)
  test(`connector rules: ${name} is rejected with a reason`, () => {
    const file = valid()
    change(file)
    const mistakes = mistakesIn(file)
    assert.ok(
      mistakes.some(mistake => reason.test(mistake)),
      `${reason} in\n${mistakes.join('\n')}`,
    )
  })

test('connector rules: an AWS access key that signs requests to each origin is accepted', () => {
  const file = valid()
  withAws(file)
  assert.deepEqual(mistakesIn(file), [])
})

test('requests to the stand-in of an origin are signed like requests to the origin', () => {
  const file = valid()
  withAws(file)
  const [origin] = file.credential_origins as string[]
  const { authorization } = withStandIns(file as ConnectorFile, { [origin!]: 'http://127.0.0.1:4001' })
  const [first, second] = (authorization[1] as Changed).endpoints
  assert.deepEqual([first.origin, second.origin], ['http://127.0.0.1:4001', file.credential_origins[1]])
})

test('connector rules: malformed JSON is rejected with a position', () => {
  const texts: [string, RegExp][] = [
    ['', /the text ends too early/],
    ['null', /must be an object/],
    ['[]', /must be an object/],
    ['{"a": 1', /the text ends too early/],
    ['{"a" 1}', /expected a colon/],
    ["{'a': 1}", /expected a name in quotes/],
    ['{"a": "x\ny"}', /not terminated, or contains a character that must be escaped/],
    ['{"a": tru}', /this is not valid JSON/],
    ['{} {}', /unexpected text after the end/],
    ['['.repeat(100_000), /nested too deeply/],
    [`{"__proto__": {"slug": "x"}}`, /__proto__: is not a known field/],
    ['\ufeff{}', /this is not valid JSON/],
    [`"${'x'.repeat(3_000_000)}"`, /is larger than 2 MB/],
  ]
  for (const [text, reason] of texts) assert.match(mistakesIn(text).join('\n'), reason, text.slice(0, 40))
})

test('connector rules: a duplicate key is reported', () => {
  const text = JSON.stringify(valid()).replace('"name":"Acme"', '"name":"Acme","name":"Acme"')
  assert.deepEqual(mistakesIn(text), ['name: appears twice'])
})

test('connector rules: a problem is reported with line and column', () => {
  const file = valid()
  file.tools[0].scopes = 'read'
  const text = JSON.stringify(file, null, 2)
  const read = readConnector(text, 'acme.json', { places: {}, rules: true })
  assert.ok('problems' in read)
  const line = text.split('\n').findIndex(one => one.includes('"scopes": "read"')) + 1
  assert.equal(read.problems.map(showProblem)[0], `acme.json:${line}:7  tools[0].scopes: must be a list`)
})

test('connector rules: the schema check agrees with Ajv on shipped and thousands of broken files', () => {
  const check = new Ajv({ strict: false }).compile(ConnectorFile)
  const values = [
    null,
    0,
    -1,
    '',
    ' ',
    'x'.repeat(700),
    [],
    {},
    true,
    ['x', 'x'],
    'https://x.example',
    { type: 'cursor' },
  ]
  let refused = 0
  const some = loadCatalog({})
    .all()
    .filter((_, index) => index % 6 === 0)
    .map(connector => ({ ...connector, tools: connector.tools.slice(0, 2) }))
  for (const connector of some) {
    assert.equal(schemaProblems(ConnectorFile, connector).length === 0, check(connector), connector.slug)
    for (const place of placesIn(connector).filter((_, index) => index % 5 === 0))
      for (const value of values) {
        const broken = structuredClone(connector)
        place(broken, value)
        const ours = schemaProblems(ConnectorFile, broken).length === 0
        assert.equal(ours, check(broken), `${connector.slug}: ${JSON.stringify(value)}`)
        if (!ours) refused++
      }
  }
  assert.ok(refused > 2000, `${refused} were rejected`)
})

type Place = (root: unknown, value: unknown) => void

const placesIn = (value: unknown, path: (string | number)[] = []): Place[] => {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, name]
    const place: Place = (root, replacement) => {
      const parent = at.slice(0, -1).reduce((node, step) => (node as Changed)[step], root)
      ;(parent as Changed)[name] = replacement
    }
    return [place, ...placesIn(member, at)]
  })
}
