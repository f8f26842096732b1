import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { methodOf, type TokenRequestMethod } from '@carabiner/contract'
import { loadCatalog } from '../../src/features/connectors/catalog/catalog.ts'
import {
  makeToken,
  type Send,
} from '../../src/features/upstream/authorization-kinds/token-request/make-token.ts'
import { readKeyField } from '../../src/features/upstream/authorization-kinds/token-request/read-key-field.ts'
import { OTHER_KEYS, P256, RSA, serviceAccountFile } from '../support/key-connectors/keys.ts'
import { jwtFault, standInFor, WRONG_SECRET, withKey } from '../support/key-connectors/vendor-stand-in.ts'
import { SECRET, TOKEN, VENDORS, type Vendor } from '../support/key-connectors/vendors.ts'

const NOW = new Date('2026-11-19T12:00:00Z')
const MOMENT = { now: NOW, id: '0197b8f0-5d5c-7000-8000-000000000001' }
const catalog = loadCatalog({})

const methodIn = (slug: string) => {
  const connector = catalog.find(slug)
  const method = connector && methodOf(connector, 'token_request')
  assert.ok(connector && method, slug)
  return { connector, method }
}
const run = (
  method: TokenRequestMethod,
  { tenant = {}, fields }: Pick<Vendor, 'tenant' | 'fields'>,
  send: Send,
  now = NOW,
) => makeToken({ send, moment: { ...MOMENT, now } }, method, { tenant, fields })

const answering =
  (status: number, body: string): Send =>
  async () => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
  })

test('key connectors: the table has every shipped connector with token requests, and at least 20', () => {
  const shipped = catalog.all().filter(connector => methodOf(connector, 'token_request'))
  assert.deepEqual(shipped.map(({ slug }) => slug).toSorted(), Object.keys(VENDORS).toSorted())
  assert.ok(shipped.length >= 20)
  for (const { slug, tools, source } of shipped) {
    assert.ok(tools.length >= 3, slug)
    assert.ok(source?.checked_on, slug)
  }
})

for (const [slug, vendor] of Object.entries(VENDORS)) {
  const { connector, method } = methodIn(slug)
  const { exchange, jwt, wrong } = vendor

  describe(slug, () => {
    it('requests its token as the vendor documents it, and calls carry it', async () => {
      const standIn = standInFor(vendor, { now: NOW })
      const made = await run(method, vendor, standIn.send)
      assert.deepEqual(standIn.problems, [])
      assert.ok(made.kind === 'made', JSON.stringify(made))
      if (jwt) assert.equal(jwtFault(made.token, jwt, vendor.fields, NOW), null)
      else assert.equal(made.token, TOKEN)
      assert.equal(standIn.requests.length, exchange ? 1 : 0)
      const stated = exchange?.lifetimeSeconds ?? Math.min(3600, method.token.lifetime_seconds)
      assert.equal(made.expiresInSeconds, stated)
      assert.ok(made.expiresInSeconds <= (jwt?.maxSeconds ?? Number.POSITIVE_INFINITY))
    })

    it('rejects a wrong key or secret, which ends a credential only if the vendor’s answer says so', async () => {
      const fields = withWrongSecret(vendor.fields)
      const standIn = standInFor(vendor, { now: NOW })
      const made = await run(method, { ...vendor, fields }, standIn.send)
      assert.deepEqual(standIn.problems, [])
      if (exchange) assert.deepEqual(made, { kind: 'refused', isFinal: wrong?.isFinal ?? true })
      else {
        assert.ok(made.kind === 'made')
        // The fingerprint of the key is a claim at Snowflake.
        const fault = jwtFault(made.token, jwt as NonNullable<typeof jwt>, vendor.fields, NOW)
        assert.match(fault ?? '', /^(?:signature|the claims are .*SHA256:)/)
      }
    })

    it('takes a rotated key or secret, and the previous one no longer works', async () => {
      const fields = withWrongSecret(vendor.fields)
      const standIn = standInFor(vendor, {
        now: NOW,
        secret: WRONG_SECRET,
        privateKey: OTHER_KEYS[keyOf(vendor.fields)] ?? '',
      })
      if (!exchange) return
      assert.equal((await run(method, { ...vendor, fields }, standIn.send)).kind, 'made')
      assert.equal((await run(method, vendor, standIn.send)).kind, 'refused')
      assert.deepEqual(standIn.problems, [])
    })

    if (exchange) {
      it('a failing token endpoint, or an answer without a token, is no refusal', async () => {
        const empty = '{"token_type":"bearer"}'
        for (const [status, body] of [
          [500, '{"error":"invalid_client"}'],
          [503, ''],
          [429, '{"error":"rate_limited"}'],
          [200, '<html>Maintenance</html>'],
          [200, empty],
          [302, ''],
        ] as const)
          assert.equal((await run(method, vendor, answering(status, body))).kind, 'unavailable', `${status}`)
      })

      it('an error with status 200 is a refusal that ends nothing', async () => {
        const pointer = method.requests[0]?.error ?? '/error'
        const body = withValue(pointer.split('/').slice(1), 'temporarily_locked')
        const made = await run(method, vendor, answering(200, JSON.stringify(body)))
        assert.deepEqual(made, { kind: 'refused', isFinal: false })
      })

      it('sends the secrets to one origin only, which the file allows', async () => {
        const standIn = standInFor(vendor, { now: NOW })
        await run(method, vendor, standIn.send)
        const allowed = (method.token_origins ?? []).map(origin => fill(origin, vendor.tenant ?? {}))
        for (const { url } of standIn.requests) assert.ok(allowed.includes(new URL(url).origin), url)
      })
    }

    if (exchange?.assertion)
      it('is refused if the clock of the service is ten minutes ahead, and made again with a right one', async () => {
        const standIn = standInFor(vendor, { now: NOW })
        const ahead = new Date(NOW.getTime() + 10 * 60_000)
        assert.equal((await run(method, vendor, standIn.send, ahead)).kind, 'refused')
        assert.equal((await run(method, vendor, standIn.send)).kind, 'made')
      })

    if (connector.tenant)
      it('takes no host that is not the vendor’s', () => {
        for (const { name, pattern, choices } of connector.tenant ?? []) {
          if (choices) continue
          const accepts = (text: string) => new RegExp(`^(?:${pattern})$`).test(text)
          assert.ok(accepts(vendor.tenant?.[name] ?? ''), name)
          for (const text of hostileTexts(vendor.tenant?.[name] ?? '', slug))
            assert.ok(!accepts(text), `${name} accepts ${JSON.stringify(text)}`)
        }
      })
  })
}

const keyOf = (fields: Record<string, string>): string =>
  Object.values(fields).find(value => value === RSA || value === P256) ?? ''

/** The fields with a valid key that the vendor does not know, or with a wrong secret. */
const withWrongSecret = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(withKey(fields, OTHER_KEYS[keyOf(fields)] ?? '')).map(([name, value]) => [
      name,
      value === SECRET ? WRONG_SECRET : name === 'secret' ? 'c2'.repeat(32) : value,
    ]),
  )

const withValue = ([name, ...rest]: string[], value: string): unknown =>
  name === undefined ? value : { [name]: withValue(rest, value) }

const fill = (template: string, tenant: Record<string, string>): string =>
  new URL(template.replace(/\{tenant\.([a-z_]+)\}/g, (_, name: string) => tenant[name] ?? '')).origin

/** Ghost is installed on any domain, as GitLab is. */
const hostileTexts = (right: string, slug: string): string[] => [
  '',
  '127.0.0.1',
  `${right}/x`,
  `${right}:8443`,
  `user@${right}`,
  `${right}.`,
  `${right}#`,
  `${right}?x=`,
  `${right}\n`,
  '..',
  '[::1]',
  ...(slug === 'ghost' || !right.includes('.') ? [] : ['localhost', `${right}.evil.example`, 'evil.example']),
]

test('google-drive-service-account: a user to act for is a claim, and none if the field is empty', async () => {
  const { method } = methodIn('google-drive-service-account')
  const vendor = VENDORS['google-drive-service-account'] as Vendor
  const subjectOf = async (fields: Record<string, string>): Promise<unknown> => {
    const standIn = standInFor(vendor, { now: NOW })
    await run(method, { fields }, standIn.send)
    const form = new URLSearchParams(String(standIn.requests[0]?.body))
    const [, claims = ''] = (form.get('assertion') ?? '').split('.')
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub?: string }).sub
  }
  assert.equal(await subjectOf(vendor.fields), undefined)
  assert.equal(await subjectOf({ ...vendor.fields, delegated_user: 'ann@acme.example' }), 'ann@acme.example')
})

describe('keys as they are entered', () => {
  it('Google: the file of a service account is read, and a bare key is named as a wrong file', () => {
    const { method } = methodIn('google-workspace-directory')
    const field = method.fields[0] as Parameters<typeof readKeyField>[0]
    const read = readKeyField(field, serviceAccountFile(RSA))
    assert.ok('values' in read)
    assert.equal(read.values.client_email, 'agent@acme.iam.gserviceaccount.com')
    assert.deepEqual(readKeyField(field, RSA), { problem: 'wrong_file' })
    assert.deepEqual(readKeyField(field, serviceAccountFile(P256)), { problem: 'wrong_type' })
  })

  it('each field for a key takes the kind that the vendor uses, and no other', () => {
    for (const slug of Object.keys(VENDORS))
      for (const field of methodIn(slug).method.fields) {
        if (!field.private_key || field.private_key.file) continue
        const [right, other] = field.private_key.type === 'rsa' ? [RSA, P256] : [P256, RSA]
        const key = { ...field, private_key: field.private_key }
        assert.ok('values' in readKeyField(key, right), slug)
        assert.deepEqual(readKeyField(key, other), { problem: 'wrong_type' }, slug)
      }
  })
})
