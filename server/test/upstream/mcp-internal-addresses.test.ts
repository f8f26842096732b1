import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { registerClient } from '../../src/features/oauth/client-registration.ts'
import { type DiscoveredServer, discoverAuthorization } from '../../src/features/oauth/discovery.ts'
import { DiscoveryError } from '../../src/features/oauth/discovery-error.ts'
import { inspectServer } from '../../src/features/upstream/mcp-client/inspect-server.ts'
import { INTERNAL_NAMES, internalAddresses } from '../support/internal-addresses.ts'
import { type StagedHosts, stageHosts } from '../support/staged-hosts.ts'

const ORIGIN = 'https://hostile.example'
const CONCURRENCY = 16

/** Fields of a document that contain a URL. */
const FIELDS = [
  'resource_metadata',
  'authorization_servers',
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'jwks_uri',
] as const
type Field = (typeof FIELDS)[number] | null

let hosts: StagedHosts
let canaries: Server[]
let addresses: string[]
let connections = 0

/** Listens on one port of every loopback address in the corpus, and counts connections. */
const startCanaries = async (port: number): Promise<Server[]> => {
  const started = await Promise.all(
    ['127.0.0.1', '127.8.8.8', '::1'].map(async host => {
      const server = createServer(socket => {
        connections++
        socket.destroy()
      })
      server.listen(port, host)
      const [error] = await Promise.race([
        once(server, 'listening'),
        once(server, 'error').catch(thrown => [thrown]),
      ])
      // A machine without IPv6 does not have this address.
      return error ? [] : [server]
    }),
  )
  return started.flat()
}

before(async () => {
  hosts = await stageHosts(['hostile.example'], INTERNAL_NAMES)
  const port = await freePort()
  addresses = internalAddresses(port)
  canaries = await startCanaries(port)
})
after(async () => {
  await hosts.close()
  for (const canary of canaries) canary.close()
})

/** Valid documents except for one URL. */
const stage = (
  place: string,
  field: Field,
  address: string,
): { serverUrl: string; challenge: string | null } => {
  const issuer = `${ORIGIN}/${place}`
  const serverUrl = `${issuer}/mcp`
  const document: Record<string, unknown> = {
    issuer,
    authorization_endpoint: `${ORIGIN}/authorize`,
    token_endpoint: `${ORIGIN}/token`,
    registration_endpoint: `${ORIGIN}/register`,
    revocation_endpoint: `${ORIGIN}/revoke`,
    jwks_uri: `${ORIGIN}/jwks`,
    code_challenge_methods_supported: ['S256'],
  }
  if (field && field in document) document[field] = address
  hosts.stage[`${ORIGIN}/.well-known/oauth-protected-resource/${place}/mcp`] = {
    body: {
      resource: serverUrl,
      authorization_servers: [field === 'authorization_servers' ? address : issuer],
    },
  }
  hosts.stage[`${ORIGIN}/.well-known/oauth-authorization-server/${place}`] = { body: document }
  const challenge =
    field === 'resource_metadata' ? `Bearer resource_metadata=${JSON.stringify(address)}` : null
  return { serverUrl, challenge }
}

const discover = (field: Field, address: string): Promise<DiscoveredServer> =>
  discoverAuthorization(hosts, stage(`${field}-${addresses.indexOf(address)}`, field, address))

/** URLs of the corpus that were not rejected with the expected error. */
const notRejected = async (
  attempt: (address: string) => Promise<boolean>,
  among: string[] = addresses,
): Promise<string[]> => {
  const passed: string[] = []
  const waiting = [...among]
  const work = async () => {
    for (let address = waiting.pop(); address !== undefined; address = waiting.pop())
      if (!(await attempt(address))) passed.push(address)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return passed
}

const isRejected = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => false,
    (error: unknown) => error instanceof DiscoveryError,
  )

describe('an internal address', () => {
  it('the corpus has at least 300 addresses, and the canaries detect connections', async () => {
    assert.ok(addresses.length >= 300, `${addresses.length}`)
    const [canary] = canaries as [Server]
    const { port } = canary.address() as AddressInfo
    await once(connect(port, '127.0.0.1'), 'close')
    assert.equal(connections, 1)
    connections = 0
  })

  it('the same documents are valid with public addresses', async () => {
    const found = await discover(null, '')
    assert.equal(found.token_endpoint, `${ORIGIN}/token`)
  })

  it('is not called as a server', async () => {
    const passed = await notRejected(async url => {
      const inspected = await inspectServer(hosts, { url, headers: { authorization: 'Bearer canary' } })
      return inspected.kind === 'refused' && ['blocked', 'unreachable'].includes(inspected.reason)
    })
    assert.deepEqual(passed, [])
    assert.equal(connections, 0)
  })

  it('is not used for discovery', async () => {
    const passed = await notRejected(url =>
      isRejected(discoverAuthorization(hosts, { serverUrl: url, challenge: null })),
    )
    assert.deepEqual(passed, [])
    assert.equal(connections, 0)
  })

  for (const field of FIELDS)
    it(`is rejected as ${field}`, async () => {
      assert.deepEqual(await notRejected(address => isRejected(discover(field, address))), [])
      assert.equal(connections, 0)
    })

  it('is rejected as the registration endpoint', async () => {
    const valid = await discover(null, '')
    const client = { redirectUri: 'https://a.example/cb', clientName: 'a', clientUri: 'https://a.example' }
    const passed = await notRejected(address =>
      isRejected(registerClient(hosts, { ...valid, registration_endpoint: address }, client)),
    )
    assert.deepEqual(passed, [])
    assert.equal(connections, 0)
  })

  it('is not followed as a redirect', async () => {
    const follow = async (address: string): Promise<boolean> => {
      const place = `redirect-${addresses.indexOf(address)}`
      const redirect = { status: 307, headers: { location: address } }
      hosts.stage[`${ORIGIN}/${place}`] = redirect
      hosts.stage[`${ORIGIN}/.well-known/oauth-protected-resource/${place}`] = redirect
      const url = `${ORIGIN}/${place}`
      const inspected = await inspectServer(hosts, { url, headers: { authorization: 'Bearer canary' } })
      const refused = inspected.kind === 'refused' && inspected.reason === 'redirected'
      return refused && isRejected(discoverAuthorization(hosts, { serverUrl: url, challenge: null }))
    }
    // Addresses of the canaries that are valid in a header.
    const canaryAddresses = addresses.filter(address =>
      /^https?:\/\/(127|\[::1|localhost|loop)[ -~]*$/.test(address),
    )
    assert.ok(canaryAddresses.length > 20)
    assert.deepEqual(await notRejected(follow, canaryAddresses), [])
    assert.equal(connections, 0)
  })
})
