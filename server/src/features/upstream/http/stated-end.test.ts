import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import type { Egress, EgressRequest, EgressResponse } from '../../../platform/egress/egress.ts'
import { loadCatalog } from '../../connectors/catalog/catalog.ts'
import { type CredentialSecret, fromPlain } from '../authorization-kinds/authorization-kinds.ts'
import { fetchAccount } from './identity.ts'
import { readEnd } from './stated-end.ts'

const NOW = new Date('2026-11-19T12:00:00Z')
const PAGE = { source: 'https://a.example/', checked_on: '2026-11-19' }

test('the end of a key is a date, a time or a Unix time; anything else is not known', () => {
  const end = (expires: unknown) =>
    readEnd(
      { ...PAGE, at: '/expires' },
      { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ expires })) },
      NOW,
    )?.toISOString() ?? null
  const midnight = '2026-12-24T00:00:00.000Z'
  for (const stated of ['2026-12-24', midnight, '2026-12-24 00:00:00 UTC', '2026-12-24 01:00:00 +0100'])
    assert.equal(end(stated), midnight, stated)
  assert.equal(end(Date.parse(midnight)), midnight)
  assert.equal(end(Date.parse(midnight) / 1000), midnight)
  for (const unknown of [
    null,
    undefined,
    '',
    'never',
    0,
    -1,
    12,
    '2026-11-18',
    '9999-12-31',
    {},
    '2026-99-99',
    '1e308',
  ])
    assert.equal(end(unknown), null, JSON.stringify(unknown))
})

test('the end of a key is read from a header of any case', () => {
  const headers = { 'x-ends': '2026-12-24 08:00:00 UTC' }
  const response = { status: 200, headers, body: Buffer.from('not JSON') }
  assert.equal(
    readEnd({ ...PAGE, header: 'X-Ends' }, response, NOW)?.toISOString(),
    '2026-12-24T08:00:00.000Z',
  )
  assert.equal(readEnd({ ...PAGE, header: 'x-other' }, response, NOW), null)
})

const catalog = loadCatalog({})
const IN_A_YEAR = new Date(Math.ceil(Date.now() / 86_400_000 + 365) * 86_400_000)
const day = IN_A_YEAR.toISOString().slice(0, 10)
const keyOf = (field: string, tenant = {}) =>
  fromPlain({ kind: 'api_key', tenant, fields: { [field]: 'key-1' } })
const tokens = (slug: string): CredentialSecret =>
  ({
    kind: 'oauth2',
    tenant: {},
    app: slug,
    accessToken: { reveal: () => 'at' },
    refreshToken: null,
  }) as never

type Answer = { headers?: Record<string, string>; body?: unknown; status?: number }
/** What each vendor answers, by the path of the request. */
const VENDORS: Record<string, { tenant?: Record<string, string>; answers: Record<string, Answer> }> = {
  github: {
    answers: { '/user': { headers: { 'github-authentication-token-expiration': `${day} 00:00:00 UTC` } } },
  },
  gitlab: {
    answers: { '/api/v4/user': {}, '/api/v4/personal_access_tokens/self': { body: { expires_at: day } } },
  },
  'gitlab-self-managed': {
    tenant: { host: 'gitlab.acme.example' },
    answers: { '/api/v4/user': {}, '/api/v4/personal_access_tokens/self': { body: { expires_at: day } } },
  },
  vercel: {
    answers: {
      '/v2/user': {},
      '/v5/user/tokens/current': { body: { token: { id: 't', expiresAt: IN_A_YEAR.getTime() } } },
    },
  },
  cloudflare: {
    answers: {
      '/client/v4/accounts': { body: { success: true, result: [{ id: 'a', name: 'Acme' }] } },
      '/client/v4/user/tokens/verify': {
        body: { success: true, result: { status: 'active', expires_on: IN_A_YEAR.toISOString() } },
      },
    },
  },
}

const askingAs = async (
  slug: string,
  secret: CredentialSecret,
  change: (path: string, answer: Answer) => Answer = (_, answer) => answer,
) => {
  const connector = catalog.find(slug) as ConnectorFile
  const sent: EgressRequest[] = []
  const request = async (outgoing: EgressRequest): Promise<EgressResponse> => {
    sent.push(outgoing)
    const { pathname } = new URL(outgoing.url)
    const known = VENDORS[slug]?.answers[pathname]
    assert.ok(known, pathname)
    const { status = 200, headers = {}, body = {} } = change(pathname, known)
    return { status, headers, body: Buffer.from(JSON.stringify(body)) }
  }
  const found = await fetchAccount({ egress: { request } as unknown as Egress }, connector, secret)
  return { sent, endsAt: found.kind === 'account' ? found.endsAt?.toISOString() : found.kind }
}

for (const [slug, { tenant, answers }] of Object.entries(VENDORS)) {
  const method = catalog.find(slug)?.authorization.find(({ type }) => type === 'api_key')
  const field = method?.type === 'api_key' ? (method.fields[0]?.name ?? '') : ''

  test(`${slug}: reads when a key ends, with requests that carry it`, async () => {
    const { sent, endsAt } = await askingAs(slug, keyOf(field, tenant))
    assert.equal(endsAt, IN_A_YEAR.toISOString())
    assert.deepEqual(
      sent.map(({ url }) => new URL(url).pathname),
      Object.keys(answers),
    )
    for (const { headers } of sent) assert.match(JSON.stringify(headers), /key-1/)
  })

  test(`${slug}: a key whose end is not stated, or cannot be read, is accepted`, async () => {
    const last = Object.keys(answers).at(-1)
    for (const answer of [{ status: 403 }, { headers: {}, body: null }, { headers: {}, body: [] }]) {
      const isIdentity = last === Object.keys(answers)[0]
      const changed = isIdentity ? { headers: {}, body: {} } : answer
      const { endsAt } = await askingAs(slug, keyOf(field, tenant), (path, known) =>
        path === last ? changed : known,
      )
      assert.equal(endsAt, undefined)
    }
  })
}

test('tokens of a sign-in have no such end, and no further request is made for them', async () => {
  for (const slug of ['github', 'gitlab']) {
    const { sent, endsAt } = await askingAs(slug, tokens(slug))
    assert.equal(endsAt, undefined)
    assert.equal(sent.length, 1)
  }
})

test('every shipped connector that states where the end of a key is read is tried here', () => {
  const stating = catalog.all().filter(({ identity }) => identity?.ends_at)
  assert.deepEqual(stating.map(({ slug }) => slug).toSorted(), Object.keys(VENDORS).toSorted())
})
