import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { unsealSecret } from '../../src/features/credentials/credential-secret.ts'
import { credentialStore, type StoredCredential } from '../../src/features/credentials/credential-store.ts'
import { openCredential } from '../../src/features/credentials/refresh-credential.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { generateVaultKey } from '../../src/platform/vault/key.ts'
import { fixedKeyRing } from '../../src/platform/vault/key-ring.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'
const [TAG_AT, TEXT_AT] = [49, 65]

type Row = { id: string; secret_id: string; sealed: Buffer; version: number }
type Holder = { organization: TestOrganization; userId: string }

describe('a sealed credential that was changed in the database', () => {
  const vaultKey = generateVaultKey('development')
  let t: TestService
  let ana: Holder
  let ben: Holder
  let foreign: Holder
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

  /** The call fails with a helpful error, not with a link, and an alert is logged. */
  const assertUndecryptable = async (holder: Holder, label: string): Promise<void> => {
    const earlier = alerts().length
    const requestsBefore = t.sandbox.ledger.length
    const { text, body } = await call(holder)
    const { result } = body
    assert.deepEqual([result.isError, result.structuredContent.error.code], [true, 'internal_error'], label)
    assert.match(result.structuredContent.error.message, /cannot be decrypted.*operator.*request ID/)
    assert.doesNotMatch(text, /authenticate_meta|link_token|SealBroken|another key|was changed/)
    assert.equal(t.sandbox.ledger.length, requestsBefore, 'the provider is not called')
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
    foreign = await link(await t.createOrganization('Elsewhere'))
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
    token = secret.kind === 'oauth2' ? secret.accessToken.reveal() : ''
    assert.ok(token)
  })
  after(() => t.stop())

  it('cannot be decrypted in the row of another user, connector or organization', async () => {
    for (const [label, from] of [
      ['another user', await rowOf(ben)],
      ['another connector', await rowOf(ana, 'sandbox-vault')],
      ['another organization', await rowOf(foreign)],
    ] as const) {
      await put(ana, from)
      await assertUndecryptable(ana, label)
      await put(ana, { ...from, secret_id: original.secret_id })
      await assertUndecryptable(ana, `${label}, with the original secret ID`)
    }
    await put(ana, original)
    assert.equal((await call(ana)).body.result.isError, false)
  })

  it('cannot be decrypted with the key of another user', async () => {
    const [backup] = await t.query('select data_key from registered_users where id = $1', [ana.userId])
    for (const other of [ben, foreign]) {
      await t.query(
        'update registered_users set data_key = (select data_key from registered_users where id = $2) where id = $1',
        [ana.userId, other.userId],
      )
      await assertUndecryptable(ana, 'the key of another user')
    }
    await t.query('update registered_users set data_key = $2 where id = $1', [ana.userId, backup.data_key])
    assert.equal((await call(ana)).body.result.isError, false)
  })

  it('an earlier secret of the same credential, or one from before a rotation, cannot be decrypted', async () => {
    await relink(ben)
    const earlier = await rowOf(ben)
    await relink(ben)
    const current = await rowOf(ben)
    await put(ben, { sealed: earlier.sealed, secret_id: current.secret_id })
    await assertUndecryptable(ben, 'an earlier secret')
    await put(ben, current)
    await rotateKeys({
      db: t.service.features.db,
      keySource: { ring: fixedKeyRing([vaultKey], { production: false }) },
    })
    assert.equal((await call(ben)).body.result.isError, false)
    const rotated = await rowOf(ben)
    await put(ben, current)
    await assertUndecryptable(ben, 'the previous row')
    await put(ben, rotated)
    assert.equal((await call(ben)).body.result.isError, false)
    original = await rowOf(ana)
  })

  it('cannot be decrypted with a tag truncated to four bytes', async () => {
    const { sealed, secret_id } = original
    const [head, tag, text] = [
      sealed.subarray(0, TAG_AT),
      sealed.subarray(TAG_AT, TAG_AT + 4),
      sealed.subarray(TEXT_AT),
    ]
    for (const truncated of [
      Buffer.concat([head, tag, text]),
      Buffer.concat([head, tag, Buffer.alloc(12), text]),
    ]) {
      await put(ana, { sealed: truncated, secret_id })
      await assertUndecryptable(ana, 'a truncated tag')
    }
    await put(ana, original)
  })

  it('cannot be decrypted with any byte flipped, removed or added', async () => {
    const { features } = t.service
    const credential = (await credentialStore.find(
      features.db,
      t.organization.id,
      original.id,
    )) as StoredCredential
    const owner = { organizationId: t.organization.id, registeredUserId: ana.userId, connectorSlug: NOTES }
    const { sealed } = original
    const opens = (changed: Buffer) =>
      openCredential(features, { ...owner, credential: { ...credential, sealed: changed } }).then(
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
      assert.equal(await opens(sealed.subarray(0, at)), false, `truncated to ${at} bytes`)
    }
    for (const extra of [1, 16, 1000])
      assert.equal(await opens(Buffer.concat([sealed, Buffer.alloc(extra)])), false, `${extra} extra bytes`)
  })

  it('cannot be decrypted with any byte of its user’s key flipped', async () => {
    const { features } = t.service
    const credential = (await credentialStore.find(
      features.db,
      t.organization.id,
      original.id,
    )) as StoredCredential
    const owner = { organizationId: t.organization.id, registeredUserId: ana.userId, connectorSlug: NOTES }
    for (let at = 0; at < credential.userKey.length; at++) {
      const flipped = Buffer.from(credential.userKey)
      flipped[at] = (flipped[at] as number) ^ 1
      const opening = openCredential(features, { ...owner, credential: { ...credential, userKey: flipped } })
      await assert.rejects(opening, { code: 'internal_error' }, `byte ${at}`)
    }
  })

  it('releases the refresh lease', async () => {
    await put(ana, { sealed: original.sealed.subarray(0, 80), secret_id: original.secret_id })
    await t.query('update credentials set access_expires_at = app_now() where id = $1', [original.id])
    await assertUndecryptable(ana, 'a refresh')
    const [lease] = await t.query('select lease_until from credentials where id = $1', [original.id])
    assert.equal(lease.lease_until, null)
    await put(ana, original)
    assert.equal((await call(ana)).body.result.isError, false)
  })

  it('is also reported by the revocation job', async () => {
    const earlier = alerts().length
    await put(ben, { ...(await rowOf(ana)) })
    await t.call('PATCH', `/api/v1/registered-users/${ben.userId}`, { body: { is_active: false } })
    await eventually(async () => assert.ok(alerts().length > earlier))
    assert.deepEqual([alerts().at(-1)?.registered_user_id, alerts().at(-1)?.connector], [ben.userId, NOTES])
  })

  it('is reported without any secret', () => {
    assert.ok(alerts().length > 100)
    const everything = t.logLines.join('')
    for (const secret of [token, t.sandbox.vaultKeys.ana, vaultKey.reveal()])
      assert.ok(!everything.includes(secret))
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      assert.ok(!everything.includes(original.sealed.subarray(TEXT_AT).toString(encoding).slice(0, 60)))
  })
})
