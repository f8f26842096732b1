import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { KeyGroup } from '@carabiner/contract/key-groups'
import { makeApiDocument } from '../../../scripts/api-document.ts'
import { addPerson } from '../../src/features/members/add-person.ts'
import { generateVaultKey } from '../../src/platform/vault/key.ts'
import { fixedKeyRing } from '../../src/platform/vault/key-ring.ts'
import { unseal } from '../../src/platform/vault/sealing.ts'
import { openVault } from '../../src/platform/vault/vault.ts'
import { exportToMemory, openFromMemory } from '../support/archives.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import {
  createRawClient,
  joinSignInService,
  type SignInService,
  signInForTokens,
} from '../support/sign-in.ts'
import type { TestOrganization, TestService } from '../support/test-service.ts'

type Response = { status: number; bytes: Buffer; text: string }
type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Response>
type Reach = {
  credentials: string
  archives: string
  organizations: string
  people: string
  keys: string
  policies: string
  approvals: string
}

const PAGE = join(import.meta.dirname, '../../../docs/security/who-can-reach-what.md')
const COLUMNS = [
  'credentials',
  'archives',
  'organizations',
  'people',
  'keys',
  'policies',
  'approvals',
] as const

/** The rows of the documented table by holder. */
const documented = new Map(
  readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| Holder'))
    .map(line => {
      const [holder = '', ...cells] = line.slice(2, -2).split(' | ')
      return [holder, Object.fromEntries(COLUMNS.map((name, n) => [name, cells[n]]))] as [string, Reach]
    }),
)

describe('who can reach what', () => {
  let signIn: SignInService
  let t: TestService
  let other: TestOrganization
  let otherUser: string
  /** The access token and the refresh token of a linked user. */
  let plaintext: string[] = []
  /** IDs of existing resources, for the paths of operations. */
  let ids: string[] = []
  let paths: string[] = []
  let victim: PersonSession
  let userId: string
  before(async () => {
    signIn = await joinSignInService()
    t = signIn.t
    other = await t.createOrganization('Competitor')
    otherUser = (await t.createUser({ origin_user_name: 'Otto Other' }, other.key)).id
    userId = (await t.createUser()).id
    await linkNotes(
      createBrowserUser(),
      (await t.mint(userId, { Connector: 'sandbox-notes' })).magic_link_url,
    )
    await t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    victim = await signInPerson(t, { role: 'developer', name: 'Vera Victim' })
    const asks = { name: 'Notes', effect: 'ask', tools: ['sandbox-notes__create_note'] }
    assert.equal((await t.call('POST', '/api/v1/policy-rules', { body: asks })).status, 201)
    const [credential] = await t.query(
      'select c.id, c.sealed, c.secret_id, u.data_key from credentials c join registered_users u on u.id = c.registered_user_id where u.id = $1',
      [userId],
    )
    const userKey = await t.service.features.vault.openUserKey(t.organization.id, userId, credential.data_key)
    const context = ['credential', t.organization.id, userId, 'sandbox-notes', credential.secret_id] as const
    const opened = JSON.parse(unseal(userKey, credential.sealed, context).toString()) as Record<
      string,
      string
    >
    plaintext = [opened['access_token'], opened['refresh_token']].map(String)
    const [record] = await t.query('select id from tool_calls where registered_user_id = $1', [userId])
    ids = [userId, credential.id, t.organization.toolPackId, record.id, victim.id]
    const { paths: documentedPaths } = (await makeApiDocument()) as {
      paths: Record<string, { get?: object }>
    }
    paths = Object.entries(documentedPaths).flatMap(([path, { get }]) =>
      get && !path.endsWith('/stream') ? [path] : [],
    )
  })
  after(() => signIn.stop())

  const sender =
    (own: Record<string, string>): Send =>
    async (method, path, body, headers = {}) => {
      const response = await fetch(t.baseUrl + path, {
        method,
        headers: {
          origin: t.baseUrl,
          ...own,
          ...headers,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, bytes, text: bytes.toString() }
    }
  const withKey = (key: string): Send => sender({ authorization: `Bearer ${key}` })
  const withCookie = ({ cookie }: PersonSession, organizationId = t.organization.id): Send =>
    sender({ cookie, 'carabiner-organization': organizationId, 'carabiner-mode': 'production' })
  const mcpPath = ({ toolPackId }: TestOrganization, user: string) =>
    `/api/v1/tool-packs/${toolPackId}/registered-users/${user}/mcp`
  const requestPath = (user: string) => `/api/v1/registered-users/${user}/connectors/sandbox-notes/requests`
  const callOf = (name: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: {} },
  })
  const JSON_OR_STREAM = { accept: 'application/json, text/event-stream' }

  /** Everything that the holder can read, including its own tool calls and the data export. */
  const readEverything = async (send: Send): Promise<string> => {
    const texts: string[] = []
    for (const path of paths)
      for (const id of path.includes('{') ? ids : [''])
        texts.push((await send('GET', path.replaceAll(/\{[^}]+\}/g, id))).text)
    for (const [path, body] of [
      ['/api/v1/explain', { registered_user_id: userId, tool: 'sandbox-notes__list_notes' }],
      [`/api/v1/registered-users/${userId}/credentials/${ids[1]}/test`, {}],
      [mcpPath(t.organization, userId), callOf('sandbox-notes__list_notes')],
      ['/api/v1/tool-calls', { registered_user_id: userId, name: 'sandbox-notes__list_notes' }],
      [requestPath(userId), { path: '/notes/api/me' }],
    ] as const)
      texts.push((await send('POST', path, body, JSON_OR_STREAM)).text)
    for (const path of [
      '/dashboard/session',
      '/dashboard/installation/organizations',
      '/dashboard/installation/people',
    ])
      texts.push((await send('GET', path)).text)
    const exported = await exportData(send)
    if (exported.status === 200) texts.push(gunzipSync(exported.bytes).toString())
    return texts.join('\n')
  }
  const exportData = (send: Send) => send('POST', `/dashboard/organizations/${t.organization.id}/export`, {})

  const reachArchives = async (send: Send): Promise<string> => {
    const { status, bytes } = await exportData(send)
    if (status !== 200) return 'no'
    assert.ok(!bytes.includes('carabiner-organization-archive'))
    return 'data only'
  }
  const reachOrganizations = async (send: Send): Promise<string> => {
    const inOther = { 'carabiner-organization': other.id }
    const answers = [
      await send('GET', `/api/v1/registered-users/${otherUser}`),
      await send('GET', `/api/v1/registered-users/${otherUser}`, undefined, inOther),
      await send('GET', '/dashboard/installation/organizations'),
      await send('POST', mcpPath(other, otherUser), callOf('sandbox-notes__list_notes'), JSON_OR_STREAM),
      await send('POST', '/api/v1/tool-calls', {
        registered_user_id: otherUser,
        tool_pack_id: other.toolPackId,
        name: 'sandbox-notes__list_notes',
      }),
      await send('POST', requestPath(otherUser), { tool_pack_id: other.toolPackId, path: '/notes/api/me' }),
    ]
    return answers.some(({ text }) => /Otto Other|Competitor|authenticate_meta/.test(text)) ? 'yes' : 'no'
  }
  let invited = 0
  const reachPeople = async (send: Send): Promise<string> => {
    const granted = [
      await send('POST', '/api/v1/members', { email: `new-${++invited}@example.com`, role: 'admin' }),
      await send('POST', `/api/v1/members/${victim.id}/sign-in-link`, {}),
      await send('PATCH', `/api/v1/members/${victim.id}`, { role: 'developer' }),
    ].filter(({ status }) => status < 300)
    const promoted = await send('PATCH', `/dashboard/installation/people/${victim.id}`, {
      is_operator: false,
    })
    if (granted.length > 0 || promoted.status < 300) return 'manages'
    return (await send('GET', '/api/v1/members')).text.includes('Vera Victim') ? 'reads names' : 'no'
  }
  const reachKeys = async (send: Send): Promise<string> => {
    const guarded = await send('POST', '/api/v1/api-keys', { groups: ['policies', 'approvals'] })
    if (guarded.status === 201) return 'creates all'
    if ((await send('POST', '/api/v1/api-keys', { mode: 'production' })).status === 201) return 'creates'
    return (await send('GET', '/api/v1/api-keys')).text.includes('cb_sk_live_') ? 'reads names' : 'no'
  }
  let rules = 0
  const newRule = (from: Send) =>
    from('POST', '/api/v1/policy-rules', {
      name: `Rule ${++rules}`,
      effect: 'deny',
      tools: ['sandbox-vault__*'],
      when: 'false',
    })
  const reachPolicies = async (send: Send): Promise<string> => {
    const { id, name } = JSON.parse((await newRule(withKey(t.organization.key))).text)
    if ((await send('DELETE', `/api/v1/policy-rules/${id}`)).status === 204) return 'changes'
    if ((await newRule(send)).status === 201) return 'makes stricter'
    return (await send('GET', '/api/v1/policy-rules?limit=100')).text.includes(name) ? 'reads' : 'no'
  }
  /** A new call that waits for a decision. */
  const newApproval = async (): Promise<{ id: string; approval_digest: string }> => {
    const call = {
      name: 'sandbox-notes__create_note',
      arguments: { title: `Note ${++rules}`, text: 'Waits' },
    }
    const { body } = await t.mcp(userId, 'tools/call', call)
    const { approval_id: id } = body.result.structuredContent
    return (await t.call('GET', `/api/v1/approvals/${id}`)).body
  }
  const reachApprovals = async (send: Send): Promise<string> => {
    const { id, approval_digest } = await newApproval()
    const path = `/api/v1/approvals/${id}`
    try {
      const decided = await send('POST', `${path}/decision`, { decision: 'approve', approval_digest })
      if (decided.status === 200) return 'decides'
      if ((await send('GET', `${path}/call`)).status === 200) return 'reads calls'
      if ((await send('POST', `${path}/withdraw`, {})).status === 200) return 'withdraws'
      return (await send('GET', '/api/v1/approvals')).text.includes(id) ? 'sees' : 'no'
    } finally {
      await t.call('POST', `${path}/withdraw`)
    }
  }
  const reachOf = async (send: Send): Promise<Reach> => {
    const read = await readEverything(send)
    assert.ok(read.length > 1000, 'the requests have been answered')
    return {
      credentials: plaintext.some(token => read.includes(token)) ? 'yes' : 'no',
      archives: await reachArchives(send),
      organizations: await reachOrganizations(send),
      people: await reachPeople(send),
      keys: await reachKeys(send),
      policies: await reachPolicies(send),
      approvals: await reachApprovals(send),
    }
  }

  const restrictedKey = async (groups: KeyGroup[]): Promise<string> => {
    const admin = await signInPerson(t, { role: 'admin' })
    const body = { mode: 'production', groups }
    return (await admin.call('POST', '/api/v1/api-keys', { body })).body.key
  }
  const holders: Record<string, () => Promise<Send>> = {
    'test API key': async () => withKey(t.organization.testKey),
    'production API key': async () => withKey(t.organization.key),
    'restricted production API key: `read`': async () => withKey(await restrictedKey(['read'])),
    'restricted production API key: every group except `read`': async () =>
      withKey(await restrictedKey(['users', 'tools', 'settings', 'policies', 'approvals'])),
    'MCP key': async () => {
      const { body } = await t.call('POST', `/api/v1/registered-users/${userId}/mcp-keys`, {
        body: { name: 'Laptop' },
      })
      return withKey(body.key)
    },
    'access token of an MCP client': async () =>
      withKey((await signInForTokens(await createRawClient(t))).access_token),
    ...Object.fromEntries(
      (['read_only', 'security', 'developer', 'admin'] as const).map(role => [
        `member: \`${role}\``,
        async () => withCookie(await signInPerson(t, { role })),
      ]),
    ),
    'stolen cookie of an `admin`': async () => {
      const person = await signInPerson(t, { role: 'admin' })
      await t.query(
        `with links as (update people_sign_in_links set used_at = used_at - interval '3 hours' where person_id = $1)
         update people_sessions set created_at = created_at - interval '3 hours' where user_id = $1`,
        [person.id],
      )
      const send = withCookie(person)
      const password = await send('POST', '/dashboard/password', { password: 'a password that outlives it' })
      assert.equal(password.status, 403, 'a first password')
      const deletion = await send('DELETE', `/dashboard/organizations/${t.organization.id}`, {
        name: 'Orbit',
        revoke: false,
      })
      assert.equal(deletion.status, 403)
      return send
    },
    'operator in the dashboard': async () => withCookie(await signInPerson(t, { isOperator: true })),
  }
  for (const [holder, prepare] of Object.entries(holders))
    it(`${holder}: reaches exactly what the table says`, async () => {
      assert.deepEqual(await reachOf(await prepare()), documented.get(holder))
    })

  it('an operator with a shell and the vault key makes archives with credentials, and people', async () => {
    const holder = 'operator with a shell and the vault key'
    const archive = await exportToMemory(t.service.features, t.organization.id)
    const tables = new Set<string>()
    for await (const { table } of (await openFromMemory(archive)).chunks()) tables.add(table)
    assert.ok(tables.has('credentials') && tables.has('organization_keys'))
    const { link } = await addPerson(t.service.features, { email: 'shell@example.com', isOperator: true })
    assert.ok(link.url.reveal())
    assert.deepEqual(documented.get(holder), {
      credentials: 'yes',
      archives: 'yes',
      organizations: 'yes',
      people: 'manages',
      keys: 'creates all',
      policies: 'changes',
      approvals: 'decides',
    })
  })

  it('a database dump without the vault key contains no credential, key or token in readable form', async () => {
    const tables = await t.query('select name from own_tables')
    const rows: string[] = []
    for (const { name } of tables)
      for (const { line } of await t.query(`select to_jsonb(r)::text as line from "${name}" r`))
        rows.push(line)
    const dump = rows.join('\n')
    assert.ok(dump.includes('Vera Victim') && dump.includes('Otto Other'))
    const secrets = [...plaintext, t.organization.key, t.organization.testKey, other.key]
    for (const secret of secrets) {
      assert.ok(!dump.includes(secret), secret.slice(0, 12))
      assert.ok(!dump.includes(Buffer.from(secret).toString('hex')), 'nor in bytea')
    }
    const ring = fixedKeyRing([generateVaultKey('development')], { production: false })
    await assert.rejects(openVault(t.service.features.db, ring))
    assert.deepEqual(documented.get('database dump without the vault key'), {
      credentials: 'no',
      archives: 'no',
      organizations: 'yes',
      people: 'reads names',
      keys: 'reads names',
      policies: 'reads',
      approvals: 'sees',
    })
  })

  it('every row of the table has a test', () => {
    assert.deepEqual(
      [...documented.keys()].toSorted(),
      [
        ...Object.keys(holders),
        'operator with a shell and the vault key',
        'database dump without the vault key',
      ].toSorted(),
    )
  })
})
