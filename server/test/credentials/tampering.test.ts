import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { unsealSecret } from '../../src/features/credentials/credential-secret.ts'
import { credentialStore, type StoredCredential } from '../../src/features/credentials/credential-store.ts'
import { openCredential } from '../../src/features/credentials/refresh-credential.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { generateVaultKey } from '../../src/platform/vault/key.ts'
import { fixedKeyRing } from '../../src/platform/vault/key-ring.ts'
import { eventually } from '../support/eventually.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'
const [TAG_AT, TEXT_AT] = [49, 65]

type Row = { id: string; secret_id: string; sealed: Buffer; version: number }
type Holder = { organization: TestOrganization; userId: string }

describe('a sealed credential that somebody changed in the database', () => {
  const vaultKey = generateVaultKey('development')
  let t: TestService
  let ana: Holder
  let ben: Holder
  let stranger: Holder
  let original: Row
  let token: string

  const link = async (organization: TestOrganization): Promise<Holder> => {
    const { id: userId } = await t.createUser({}, organization.key)
    await relink({ organization, userId })
    return { organization, userId }
  }
  const relink = async ({ organization, userId }: Holder): Promise<void> => {
    const minted = await t.mint(userId, { Connector: NOTES }, organization.key)
    await linkNotes(createBrowserUser(), minted.magic_link_url)
  }
  const rowOf = async ({ userId }: Holder, connector = NOTES): Promise<Row> => {
    const [row] = await t.query<Row>(
      'select id, secret_id, sealed, version from credentials where registered_user_id = $1 and connector_slug = $2',
      [userId, connector],
    )
    return row as Row
  }
  const put = ({ userId }: Holder, { sealed, secret_id }: Pick<Row, 'sealed' | 'secret_id'>) =>
    t.query(
      'update credentials set sealed = $2, secret_id = $3 where registered_user_id = $1 and connector_slug = $4',
      [userId, sealed, secret_id, NOTES],
    )
  const call = ({ organization, userId }: Holder) =>
    t.mcp(
      userId,
      'tools/call',
      { name: `${NOTES}__list_notes`, arguments: {} },
      { key: organization.key, packId: organization.toolPackId },
    )
  const alerts = () =>
    t.logLines
      .map(line => JSON.parse(line))
      .filter(line => line.alert === 'sealed_secret_does_not_open') as Record<string, string>[]

  /** Refused in words that help, not told to link anew, and told to whoever watches the log. */
  const refuses = async (holder: Holder, label: string): Promise<void> => {
    const earlier = alerts().length
    const asked = t.sandbox.ledger.length
    const { text, body } = await call(holder)
    const { result } = body
    assert.deepEqual([result.isError, result.structuredContent.error.code], [true, 'internal_error'], label)
    assert.match(result.structuredContent.error.message, /cannot be decrypted.*operator.*request ID/)
    assert.doesNotMatch(text, /authenticate_meta|link_token|SealBroken|another key|was changed/)
    assert.equal(t.sandbox.ledger.length, asked, 'the third party is not asked')
    const [alert, ...more] = alerts().slice(earlier)
    assert.deepEqual(more, [], label)
    assert.deepEqual(
      [
        alert?.level,
        alert?.organization_id,
        alert?.registered_user_id,
        alert?.connector,
        alert?.credential_id,
      ],
      ['error', holder.organization.id, holder.userId, NOTES, (await rowOf(holder)).id],
      label,
    )
  }

  before(async () => {
    t = await startTestService('postgres', { VAULT_KEY: vaultKey.reveal() })
    ana = await link(t.organization)
    ben = await link(t.organization)
    stranger = await link(await t.createOrganization('Elsewhere'))
    const minted = await t.mint(ana.userId, { Connector: 'sandbox-vault' })
    const browser = createBrowserUser()
    const form = await browser.open(minted.magic_link_url)
    await browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
    original = await rowOf(ana)
    const { vault } = t.service.features
    const [user] = await t.query('select data_key from registered_users where id = $1', [ana.userId])
    const owner = {
      organizationId: t.organization.id,
      registeredUserId: ana.userId,
      connectorSlug: NOTES,
      secretId: original.secret_id,
    }
    const key = await vault.openUserKey(t.organization.id, ana.userId, user.data_key)
    const secret = unsealSecret(key, owner, original.sealed)
    token = secret.kind === 'oauth' ? secret.accessToken.reveal() : ''
    assert.ok(token)
  })
  after(() => t.stop())

  it('does not open in the row of another user, another connector, another organization', async () => {
    for (const [label, from] of [
      ['another user', await rowOf(ben)],
      ['another connector', await rowOf(ana, 'sandbox-vault')],
      ['another organization', await rowOf(stranger)],
    ] as const) {
      await put(ana, from)
      await refuses(ana, label)
      await put(ana, { ...from, secret_id: original.secret_id })
      await refuses(ana, `${label}, under the id that belongs here`)
    }
    await put(ana, original)
    assert.equal((await call(ana)).body.result.isError, false)
  })

  it('does not open with the key of another user in the place of its own', async () => {
    const [kept] = await t.query('select data_key from registered_users where id = $1', [ana.userId])
    for (const other of [ben, stranger]) {
      await t.query(
        'update registered_users set data_key = (select data_key from registered_users where id = $2) where id = $1',
        [ana.userId, other.userId],
      )
      await refuses(ana, 'the key of another user')
    }
    await t.query('update registered_users set data_key = $2 where id = $1', [ana.userId, kept.data_key])
    assert.equal((await call(ana)).body.result.isError, false)
  })

  it('does not open as an earlier secret of the same credential, nor as one from before a rotation', async () => {
    await relink(ben)
    const earlier = await rowOf(ben)
    await relink(ben)
    const now = await rowOf(ben)
    await put(ben, { sealed: earlier.sealed, secret_id: now.secret_id })
    await refuses(ben, 'an earlier secret')
    await put(ben, now)
    await rotateKeys({
      db: t.service.features.db,
      keySource: { ring: fixedKeyRing([vaultKey], { production: false }) },
    })
    assert.equal((await call(ben)).body.result.isError, false)
    const rotated = await rowOf(ben)
    await put(ben, now)
    await refuses(ben, 'the whole row from before')
    await put(ben, rotated)
    assert.equal((await call(ben)).body.result.isError, false)
    original = await rowOf(ana)
  })

  it('does not open with its tag cut to four bytes', async () => {
    const { sealed, secret_id } = original
    const [head, tag, text] = [
      sealed.subarray(0, TAG_AT),
      sealed.subarray(TAG_AT, TAG_AT + 4),
      sealed.subarray(TEXT_AT),
    ]
    for (const cut of [
      Buffer.concat([head, tag, text]),
      Buffer.concat([head, tag, Buffer.alloc(12), text]),
    ]) {
      await put(ana, { sealed: cut, secret_id })
      await refuses(ana, 'a short tag')
    }
    await put(ana, original)
  })

  it('does not open with any byte flipped, cut off or added', async () => {
    const { features } = t.service
    const credential = (await credentialStore.find(
      features.db,
      t.organization.id,
      original.id,
    )) as StoredCredential
    const held = { organizationId: t.organization.id, registeredUserId: ana.userId, connectorSlug: NOTES }
    const { sealed } = original
    const opens = (changed: Buffer) =>
      openCredential(features, { ...held, credential: { ...credential, sealed: changed } }).then(
        () => true,
        error => {
          assert.equal(error.code, 'internal_error')
          return false
        },
      )
    assert.equal(await opens(sealed), true)
    for (let at = 0; at < sealed.length; at++) {
      const flipped = Buffer.from(sealed)
      flipped[at] = (flipped[at] as number) ^ 0x80
      assert.equal(await opens(flipped), false, `byte ${at} flipped`)
      assert.equal(await opens(sealed.subarray(0, at)), false, `cut to ${at} bytes`)
    }
    for (const extra of [1, 16, 1000])
      assert.equal(await opens(Buffer.concat([sealed, Buffer.alloc(extra)])), false, `${extra} bytes more`)
  })

  it('does not open with any byte of its user’s key flipped', async () => {
    const { features } = t.service
    const credential = (await credentialStore.find(
      features.db,
      t.organization.id,
      original.id,
    )) as StoredCredential
    const held = { organizationId: t.organization.id, registeredUserId: ana.userId, connectorSlug: NOTES }
    for (let at = 0; at < credential.userKey.length; at++) {
      const flipped = Buffer.from(credential.userKey)
      flipped[at] = (flipped[at] as number) ^ 1
      const opening = openCredential(features, { ...held, credential: { ...credential, userKey: flipped } })
      await assert.rejects(opening, { code: 'internal_error' }, `byte ${at}`)
    }
  })

  it('does not hold up the refresh of others: the lease is given back', async () => {
    await put(ana, { sealed: original.sealed.subarray(0, 80), secret_id: original.secret_id })
    await t.query('update credentials set access_expires_at = app_now() where id = $1', [original.id])
    await refuses(ana, 'a refresh')
    const [lease] = await t.query('select lease_until from credentials where id = $1', [original.id])
    assert.equal(lease.lease_until, null)
    await put(ana, original)
    assert.equal((await call(ana)).body.result.isError, false)
  })

  it('is told of by the job that would revoke it, too', async () => {
    const earlier = alerts().length
    await put(ben, { ...(await rowOf(ana)) })
    await t.call('PATCH', `/api/v1/registered-users/${ben.userId}`, { body: { is_active: false } })
    await eventually(async () => assert.ok(alerts().length > earlier))
    assert.deepEqual([alerts().at(-1)?.registered_user_id, alerts().at(-1)?.connector], [ben.userId, NOTES])
  })

  it('is told of without any secret', () => {
    assert.ok(alerts().length > 100)
    const everything = t.logLines.join('')
    for (const secret of [token, t.sandbox.vaultKeys.ana, vaultKey.reveal()])
      assert.ok(!everything.includes(secret))
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      assert.ok(!everything.includes(original.sealed.subarray(TEXT_AT).toString(encoding).slice(0, 60)))
  })
})
