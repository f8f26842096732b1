import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Secret } from '../../src/core/secret.ts'
import { SECRET_FIELD } from '../../src/features/connectors/mcp-servers/mcp-connector.ts'
import type { CredentialSecret } from '../../src/features/credentials/credential-secret.ts'
import { seedSealedUsers } from '../support/sealed-users.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { caller } from '../support/tool-calls.ts'
import { secretFor, startWitness, type Witness } from '../support/witness.ts'

const USERS = 50
const LANES = 24
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)
const OAUTH = numbered('by-oauth', 5)
const KEYS = numbered('by-key', 5)
const SERVERS = numbered('by-server', 10)
const ALL = [...OAUTH, ...KEYS, ...SERVERS]
/** The last two are one server, registered twice. */
const TWINS = SERVERS.slice(-2)

const fileOf = (slug: string, host: string) => {
  const scopes = OAUTH.includes(slug) ? ['read'] : []
  return {
    slug,
    name: slug,
    summary: 'Knows who calls',
    categories: ['other'],
    documentation_url: `${host}/`,
    authorization: OAUTH.includes(slug)
      ? [
          {
            type: 'oauth2',
            authorization_endpoint: `${host}/authorize`,
            token_endpoint: `${host}/token/${slug}`,
            client_authentication: 'client_secret_basic',
            pkce: 'S256',
            scopes: [{ name: 'read', title: 'Read' }],
            refresh: { rotates: true },
          },
        ]
      : [
          {
            type: 'api_key',
            fields: [{ name: 'api_key', label: 'Key', secret: true }],
            headers: { authorization: 'Bearer {api_key}' },
          },
        ],
    identity: { url: `${host}/api/${slug}`, account: '/user' },
    credential_origins: [host],
    tools: [
      {
        name: 'who',
        title: 'Who',
        description: 'Says who calls.',
        input_schema: {
          type: 'object',
          properties: { as: { type: 'string' } },
          required: ['as'],
          additionalProperties: false,
        },
        scopes,
        request: { method: 'GET', url: `${host}/api/${slug}`, query: { as: '{as}' } },
        read_only: true,
      },
    ],
  }
}

const secretOf = (user: string, slug: string): CredentialSecret => {
  if (!OAUTH.includes(slug)) {
    const field = SERVERS.includes(slug) ? SECRET_FIELD : 'api_key'
    return { kind: 'api_key', tenant: {}, fields: { [field]: new Secret(secretFor('key', user, slug)) } }
  }
  const accessToken = new Secret(secretFor('access', user, slug))
  const refreshToken = new Secret(secretFor('refresh', user, slug))
  return { kind: 'oauth2', tenant: {}, accessToken, refreshToken }
}

describe(`${USERS} users with ${ALL.length} connectors each, called concurrently`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-witness-'))
  let witness: Witness
  let t: TestService
  let users: string[]

  /** Some connectors share an origin, and nothing else. */
  const hostOf = (slug: string): string => witness.origins[Number(slug.at(-1)) % 2] as string

  before(async () => {
    witness = await startWitness()
    for (const slug of [...OAUTH, ...KEYS])
      writeFileSync(join(folder, `${slug}.json`), JSON.stringify(fileOf(slug, hostOf(slug))))
    const apps = OAUTH.map(slug => `OAUTH_${slug.toUpperCase().replaceAll('-', '_')}_CLIENT`)
    t = await startTestService('postgres', {
      CONNECTORS_DIRECTORY: folder,
      LOG_LEVEL: 'warn',
      ...Object.fromEntries(
        apps.flatMap(app => [
          [`${app}_ID`, 'us'],
          [`${app}_SECRET`, 'client-secret'],
        ]),
      ),
    })
    for (const slug of SERVERS) {
      const path = TWINS.includes(slug) ? TWINS.join('+') : slug
      const url = `${TWINS.includes(slug) ? witness.origins[0] : hostOf(slug)}/mcp/${path}`
      const body = { name: slug, slug, url, authentication: 'user_secret' }
      const added = await t.call('POST', '/api/v1/connectors', { body })
      assert.equal(added.status, 201, added.text)
    }
    users = await seedSealedUsers(t.service.features, {
      organizationId: t.organization.id,
      users: USERS,
      connectors: ALL,
      secretOf,
      mode: 'production',
      scopes: ['read'],
    })
    await t.query(
      `update credentials set oauth_app = connector_slug, access_expires_at = app_now() + interval '1 hour'
       where connector_slug = any($1)`,
      [OAUTH],
    )
  })
  after(async () => {
    await t.stop()
    await witness.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const callAs = async (user: string, slug: string): Promise<void> => {
    const { content, isError } = await caller(t, user)(`${slug}__who`, { args: { as: user } })
    const text = JSON.stringify(content)
    assert.ok(!isError && text.includes(user), `${slug} as ${user}: ${text}`)
    assert.deepEqual(
      users.filter(other => other !== user && text.includes(other)),
      [],
    )
  }
  /** Users and connectors alternate, so that every lane calls all of them. More lanes would only queue for connections. */
  const callAll = async (timesFor: (slug: string) => number): Promise<void> => {
    const pending = ALL.flatMap(slug => Array.from({ length: timesFor(slug) }, () => slug)).flatMap(slug =>
      users.map(user => () => callAs(user, slug)),
    )
    const lane = async (): Promise<void> => {
      for (let next = pending.pop(); next; next = pending.pop()) await next()
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  it('each call uses the credential of its user and connector', async () => {
    await callAll(() => 1)
    assert.deepEqual(witness.mismatches, [])
    assert.equal(witness.calls.size, USERS * ALL.length)
    assert.ok([...witness.calls.values()].every(times => times === 1))
  })

  it('also while tokens are refreshed, each exactly once', async () => {
    // Some tokens have expired by our clock; others were revoked at the provider early.
    await t.query(
      `update credentials set access_expires_at = app_now() - interval '1 minute'
       where connector_slug = any($1) and connector_slug < 'by-oauth-3'`,
      [OAUTH],
    )
    witness.rejectUpTo(0, slug => slug === 'by-oauth-3')
    witness.calls.clear()
    await callAll(slug => (OAUTH.includes(slug) ? 2 : 1))
    assert.deepEqual(witness.mismatches, [])
    assert.equal(witness.calls.size, USERS * ALL.length)
    assert.equal(witness.refreshes.size, USERS * 4)
    assert.ok([...witness.refreshes.values()].every(times => times === 1))
  })

  it('a server registered twice has a session per user and connector', async () => {
    const sessions = t.service.features.sessions.size()
    assert.ok(sessions >= USERS * SERVERS.length && sessions <= 1000, String(sessions))
  })
})
