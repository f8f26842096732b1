import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { registerClient } from '../../src/features/oauth/client-registration.ts'
import { type DiscoveredServer, discoverAuthorization } from '../../src/features/oauth/discovery.ts'
import { DiscoveryError } from '../../src/features/oauth/discovery-error.ts'
import { type StagedHosts, stageHosts } from '../support/staged-hosts.ts'

const SERVER = 'https://mcp.example/team/mcp'
const ISSUER = 'https://as.example'
const RESOURCE_METADATA = 'https://mcp.example/.well-known/oauth-protected-resource/team/mcp'
const ISSUER_METADATA = 'https://as.example/.well-known/oauth-authorization-server'
const SCOPES = ['read', 'write']

const resource = (rest = {}) => ({
  body: { resource: SERVER, authorization_servers: [ISSUER], scopes_supported: SCOPES, ...rest },
})
const issuer = (rest = {}) => ({
  body: {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    registration_endpoint: `${ISSUER}/register`,
    revocation_endpoint: `${ISSUER}/revoke`,
    jwks_uri: `${ISSUER}/jwks`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    ...rest,
  },
})

let hosts: StagedHosts
before(async () => {
  hosts = await stageHosts(['mcp.example', 'as.example', 'other.example'])
})
beforeEach(() => {
  hosts.stage = { [RESOURCE_METADATA]: resource(), [ISSUER_METADATA]: issuer() }
  hosts.requests = []
})
after(() => hosts.close())

const discover = (challenge: string | null = null, serverUrl = SERVER): Promise<DiscoveredServer> =>
  discoverAuthorization(hosts, { serverUrl, challenge })
const fails = (code: string, challenge: string | null = null, serverUrl = SERVER) =>
  assert.rejects(discover(challenge, serverUrl), (error: unknown) => {
    assert.ok(error instanceof DiscoveryError, String(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, /^[^<>\n]{10,300}\.$/)
    return true
  })

describe('discovery', () => {
  it('returns all metadata that linking needs', async () => {
    const found = await discover()
    assert.deepEqual(found, {
      resource: SERVER,
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      registration_endpoint: `${ISSUER}/register`,
      revocation_endpoint: `${ISSUER}/revoke`,
      scopes: SCOPES,
      client_id_metadata_document_supported: false,
      authorization_response_iss_parameter_supported: false,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    })
    assert.deepEqual(hosts.requests, [RESOURCE_METADATA, ISSUER_METADATA])
  })

  it('reads the metadata named in the challenge, or else at the path and then at the root', async () => {
    const named = 'https://mcp.example/meta'
    hosts.stage = { [named]: resource(), [ISSUER_METADATA]: issuer() }
    await discover(`Bearer resource_metadata="${named}"`)
    assert.deepEqual(hosts.requests, [named, ISSUER_METADATA])
    hosts.requests = []
    const root = 'https://mcp.example/.well-known/oauth-protected-resource'
    hosts.stage = { [root]: resource({ resource: 'https://mcp.example' }), [ISSUER_METADATA]: issuer() }
    assert.equal((await discover()).resource, 'https://mcp.example')
    assert.deepEqual(hosts.requests, [RESOURCE_METADATA, root, ISSUER_METADATA])
  })

  it('uses the server as its own authorization server if it publishes no resource metadata', async () => {
    const own = 'https://mcp.example'
    hosts.stage = { [`${own}/.well-known/oauth-authorization-server`]: issuer({ issuer: own }) }
    const found = await discover()
    assert.deepEqual([found.issuer, found.resource, found.scopes], [own, SERVER, []])
  })

  it('looks up an issuer with a path at the three locations defined by MCP, in order', async () => {
    const tenant = `${ISSUER}/tenant`
    const places = [
      `${ISSUER}/.well-known/oauth-authorization-server/tenant`,
      `${ISSUER}/.well-known/openid-configuration/tenant`,
      `${ISSUER}/tenant/.well-known/openid-configuration`,
    ]
    for (const [at, place] of places.entries()) {
      hosts.stage = {
        [RESOURCE_METADATA]: resource({ authorization_servers: [tenant] }),
        [place]: issuer({ issuer: tenant }),
      }
      hosts.requests = []
      assert.equal((await discover()).issuer, tenant)
      assert.deepEqual(hosts.requests.slice(1), places.slice(0, at + 1))
    }
    hosts.stage = {
      [RESOURCE_METADATA]: resource(),
      [`${ISSUER}/.well-known/openid-configuration`]: issuer(),
    }
    assert.equal((await discover()).issuer, ISSUER)
  })

  it('chooses the first usable authorization server', async () => {
    hosts.stage[RESOURCE_METADATA] = resource({
      authorization_servers: ['https://10.0.0.1', 'https://other.example', ISSUER],
    })
    assert.equal((await discover()).issuer, ISSUER)
  })

  it('requests the scopes of the challenge, else of the resource, and offline access where supported', async () => {
    assert.deepEqual((await discover('Bearer scope="one two"')).scopes, ['one', 'two'])
    hosts.stage[RESOURCE_METADATA] = resource({ scopes_supported: ['a', 'a', 'bad"scope', 7, ''] })
    assert.deepEqual((await discover()).scopes, ['a'])
    hosts.stage[ISSUER_METADATA] = issuer({ scopes_supported: ['openid', 'offline_access'] })
    assert.deepEqual((await discover()).scopes, ['a', 'offline_access'])
    hosts.stage[RESOURCE_METADATA] = resource({ scopes_supported: undefined })
    hosts.stage[ISSUER_METADATA] = issuer()
    assert.deepEqual((await discover()).scopes, [])
  })

  it('accepts only a resource that equals this server or is a parent of it', async () => {
    for (const good of [
      SERVER,
      `${SERVER}/`,
      'https://mcp.example/team',
      'https://mcp.example/',
      'https://mcp.example',
    ]) {
      hosts.stage[RESOURCE_METADATA] = resource({ resource: good })
      assert.equal((await discover()).resource, good)
    }
    for (const bad of [
      'https://other.example/team/mcp',
      'https://mcp.example/tea',
      'https://mcp.example/team/mcp/deeper',
      'https://mcp.example/other',
      'https://mcp.example:8443/team/mcp',
      'http://mcp.example/team/mcp',
      'https://mcp.example.evil.example/team',
      'https://mcp.example/team/mcp#x',
      'https://mcp.example/team/mcp?x=1',
      'mcp.example',
      '',
      null,
      [SERVER],
    ]) {
      hosts.stage[RESOURCE_METADATA] = resource({ resource: bad })
      await fails('resource_mismatch')
    }
  })

  it('accepts only an issuer that matches the requested one', async () => {
    for (const good of [ISSUER, `${ISSUER}/`]) {
      hosts.stage[ISSUER_METADATA] = issuer({ issuer: good })
      assert.equal((await discover()).issuer, good)
    }
    for (const bad of [
      'https://other.example',
      `${ISSUER}/x`,
      'https://AS.example',
      `${ISSUER}:443`,
      `${ISSUER}?x`,
      null,
      undefined,
      5,
    ]) {
      hosts.stage[ISSUER_METADATA] = issuer({ issuer: bad })
      await fails('issuer_mismatch')
    }
  })

  it('requires PKCE with S256', async () => {
    for (const methods of [undefined, [], ['plain'], 'S256']) {
      hosts.stage[ISSUER_METADATA] = issuer({ code_challenge_methods_supported: methods })
      await fails('pkce_unsupported')
    }
  })

  it('returns an error code for missing or invalid metadata', async () => {
    hosts.stage = {}
    await fails('metadata_missing')
    await fails('metadata_missing', 'Bearer resource_metadata="https://mcp.example/gone"')
    await fails('address_refused', 'Bearer resource_metadata="/relative"')
    hosts.stage = { [RESOURCE_METADATA]: resource() }
    await fails('metadata_missing')
    for (const authorization_servers of [undefined, [], 'https://as.example', [7]]) {
      hosts.stage = { [RESOURCE_METADATA]: resource({ authorization_servers }) }
      await fails('metadata_invalid')
    }
    for (const [field, value] of [
      ['token_endpoint', undefined],
      ['authorization_endpoint', null],
      ['token_endpoint', 7],
      ['token_endpoint', 'not an address'],
      ['token_endpoint', `${ISSUER}/token#x`],
      ['registration_endpoint', `https://as.example/${'x'.repeat(3000)}`],
    ] as const) {
      hosts.stage = { [RESOURCE_METADATA]: resource(), [ISSUER_METADATA]: issuer({ [field]: value }) }
      await fails('metadata_invalid')
    }
  })

  it('skips invalid documents, and fails on documents that are too large', async () => {
    const root = 'https://mcp.example/.well-known/oauth-protected-resource'
    for (const invalid of [
      { status: 401 },
      { body: '<html>' },
      { body: '[]' },
      { body: 'null' },
      { body: Buffer.from([0x7b, 0xff, 0x7d]) },
      { status: 302, headers: { location: 'https://other.example/' } },
      { status: 204 },
    ]) {
      hosts.stage = { [RESOURCE_METADATA]: invalid, [root]: resource(), [ISSUER_METADATA]: issuer() }
      assert.equal((await discover()).issuer, ISSUER)
    }
    assert.ok(hosts.requests.every(url => !url.startsWith('https://other.example')))
    hosts.stage = { [RESOURCE_METADATA]: { body: ' '.repeat(300_000) } }
    await fails('unreachable')
    hosts.stage = { [RESOURCE_METADATA]: { status: 503 } }
    await fails('unreachable')
  })

  it('sends no credential', async () => {
    hosts.stage[RESOURCE_METADATA] = request => {
      assert.equal(request.headers.authorization, undefined)
      return resource()
    }
    await discover('Bearer realm="secret"')
  })
})

describe('registration', () => {
  const client = {
    redirectUri: 'https://link.example/oauth/callback/c',
    clientName: 'Carabiner',
    clientUri: 'https://link.example',
  }
  const register = async (answer: unknown, status = 201, found: Partial<DiscoveredServer> = {}) => {
    hosts.stage[`${ISSUER}/register`] = { status, body: answer }
    return registerClient(hosts, { ...(await discover()), ...found }, client)
  }
  const assertRejected = async (
    answer: unknown,
    status?: number,
    code = 'registration_refused',
    found = {},
  ) =>
    assert.rejects(
      register(answer, status, found),
      (error: unknown) =>
        error instanceof DiscoveryError && error.code === code && !/hunter2/.test(String(error.stack)),
    )

  it('sends our client metadata and returns the registered client', async () => {
    let sent: any
    hosts.stage[`${ISSUER}/register`] = (_, body) => {
      sent = JSON.parse(body)
      return {
        status: 201,
        body: { client_id: 'c-1', client_secret: 'hunter2', client_secret_expires_at: 0 },
      }
    }
    const registered = await registerClient(hosts, await discover(), client)
    assert.deepEqual(sent, {
      client_name: 'Carabiner',
      client_uri: 'https://link.example',
      redirect_uris: [client.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      application_type: 'web',
      scope: 'read write',
    })
    assert.deepEqual(
      [
        registered.clientId,
        registered.clientSecret?.reveal(),
        registered.tokenEndpointAuthMethod,
        registered.clientSecretExpiresAt,
      ],
      ['c-1', 'hunter2', 'client_secret_post', null],
    )
    assert.doesNotMatch(JSON.stringify(registered), /hunter2/)
  })

  it('creates a public client if the server requires no secret', async () => {
    const registered = await register(
      { client_id: 'c', token_endpoint_auth_method: 'none', client_secret: 'hunter2' },
      200,
    )
    assert.deepEqual([registered.clientSecret, registered.tokenEndpointAuthMethod], [null, 'none'])
  })

  it('returns when a client secret expires', async () => {
    const registered = await register({
      client_id: 'c',
      client_secret: 'hunter2',
      client_secret_expires_at: 1_800_000_000,
    })
    assert.equal(registered.clientSecretExpiresAt?.toISOString(), '2027-01-15T08:00:00.000Z')
  })

  it('rejects unusable responses', async () => {
    for (const answer of [
      {},
      { client_id: '' },
      { client_id: 7, client_secret: 'hunter2' },
      { client_id: 'c\r\nx', client_secret: 'hunter2' },
      { client_id: 'c' },
      { client_id: 'c', client_secret: 'hunter2', token_endpoint_auth_method: 'private_key_jwt' },
      { client_id: 'c', client_secret: 'hunter2', redirect_uris: ['https://evil.example/'] },
      'not json hunter2',
    ])
      await assertRejected(answer)
    await assertRejected({ error: 'invalid_redirect_uri', error_description: 'hunter2' }, 400)
    await assertRejected('<html>', 500)
    await assertRejected({ client_id: 'c' }, 302)
    await assertRejected(' '.repeat(100_000), 201, 'unreachable')
    await assertRejected({}, 201, 'registration_unsupported', {
      token_endpoint_auth_methods_supported: ['tls_client_auth'],
    })
    await assertRejected({}, 201, 'registration_unsupported', { registration_endpoint: undefined })
    await assertRejected({}, 201, 'address_refused', { registration_endpoint: 'https://127.0.0.1/' })
  })
})
