import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '../../src/core/duration.ts'
import { hashToken, parseToken } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { unsealSecret } from '../../src/features/credentials/credential-secret.ts'
import { credentialStore, type StoredCredential } from '../../src/features/credentials/credential-store.ts'
import { pendingSecretStore } from '../../src/features/credentials/pending-secret-store.ts'
import {
  endOverdueSecrets,
  redeemSecrets,
  rejectPending,
} from '../../src/features/credentials/pending-secrets.ts'
import { refreshCredential } from '../../src/features/credentials/refresh-credential.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { completeSession } from '../../src/features/link/attempts/complete-session.ts'
import type { StoredSession } from '../../src/features/link/sessions/link-session-store.ts'
import { readSession } from '../../src/features/link/sessions/open-session.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { fileKeyRing } from '../../src/platform/vault/key-ring.ts'
import { sitesConnector, useOwnApp, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { apiKeySecret } from '../support/sealed-users.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'
const CALLBACK = 'https://app.example.com/cb'
/** Long enough for a concurrent operation to reach the locked rows. */
const HOLD_MS = 250
/** The third transaction of a rotation changes the users; the first two begin it and enter the organization. */
const STEP_OF_USERS = 3

describe('concurrent with the rotation of a user’s keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-races-'))
  const keyFile = join(folder, 'vault.key')
  const acme = writeAcmeConnectors()
  let t: TestService
  before(async () => {
    t = await startTestService('postgres', { KEY_FILE: keyFile, CONNECTORS_DIRECTORY: acme.folder })
    await t.allowOrigin('https://app.example.com')
  })
  after(async () => {
    await t.stop()
    acme.remove()
    rmSync(folder, { recursive: true })
  })

  /** A database in which the given transaction waits before its commit. */
  const holdBeforeCommit = (n: number): { db: Database; holding: Promise<void> } => {
    const { db } = t.service.features
    const { promise: holding, resolve } = Promise.withResolvers<void>()
    let count = 0
    const transaction: Database['transaction'] = work =>
      db.transaction(async tx => {
        const result = await work(tx)
        if (++count === n) {
          resolve()
          await delay(HOLD_MS)
        }
        return result
      })
    return { db: { ...db, transaction }, holding }
  }
  const rotate = (db = t.service.features.db) =>
    rotateKeys({ db, keySource: { ring: fileKeyRing(keyFile, { production: false }) } })

  /** Starts `act` while the rotation has written new keys for all users but not committed them. */
  const rotateAround = async <T>(act: () => Promise<T>): Promise<T> => {
    const { db, holding } = holdBeforeCommit(STEP_OF_USERS)
    const rotating = rotate(db)
    await holding
    const acting = act()
    await rotating
    return acting
  }

  /** Starts the rotation while `act` has done everything except its commit. */
  const rotateDuring = async <T>(act: (db: Database) => Promise<T>): Promise<T> => {
    const { db, holding } = holdBeforeCommit(1)
    const acting = act(db)
    await holding
    await rotate()
    return acting
  }

  const assertAllDecrypt = async (): Promise<void> => {
    const { vault } = t.service.features
    const rows = await t.query(
      `select s.*, u.data_key from sealed_secrets s
       join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id`,
    )
    assert.ok(rows.length > 0)
    for (const row of rows) {
      const owner = {
        organizationId: row.organization_id,
        registeredUserId: row.registered_user_id,
        connectorSlug: row.connector_slug,
        secretId: row.secret_id,
      }
      const key = await vault.openUserKey(row.organization_id, row.registered_user_id, row.data_key)
      assert.ok(unsealSecret(key, owner, row.sealed))
    }
  }
  const callNotes = async (userId: string): Promise<void> => {
    const { body, text } = await t.mcp(userId, 'tools/call', {
      name: `${NOTES}__list_notes`,
      arguments: {},
    })
    assert.ok(body.result.structuredContent.notes, text)
  }
  const linkedUser = async (): Promise<string> => {
    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: NOTES })).magic_link_url)
    return id
  }
  const pendingCode = async (userId: string): Promise<{ code: string; hash: Buffer }> => {
    const browser = createBrowserUser()
    const minted = await t.mint(userId, { Connector: NOTES, callback_url: CALLBACK, state: 's' })
    await linkNotes(browser, minted.magic_link_url)
    const code = new URL(browser.lastLocation as string).searchParams.get('code') as string
    return { code, hash: hashToken(parseToken('authorizationCode', code) as never) }
  }
  const redemptionOf = (hash: Buffer) => ({
    organizationId: t.organization.id,
    mode: 'production' as const,
    codeHash: hash,
    registeredUserId: null,
    candidateId: newUuid(),
  })

  it('a call succeeds [credential.keys-rotate]', async () => {
    const userId = await linkedUser()
    await rotateAround(() => callNotes(userId))
    await callNotes(userId)
    await assertAllDecrypt()
  })

  it('a link completes with the key that is current at its end', async () => {
    const { id } = await t.createUser()
    const browser = createBrowserUser()
    const landing = await browser.open((await t.mint(id, { Connector: NOTES })).magic_link_url)
    const signIn = await browser.submit(landing, /\/start$/)
    await rotateAround(() => consentAtSandbox(browser, signIn))
    await callNotes(id)
    await assertAllDecrypt()
  })

  it('a pending refresh stores its token under the new key', async () => {
    const userId = await linkedUser()
    const expire = () =>
      t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [userId])
    await expire()
    const release = t.sandbox.hold('token')
    const calling = callNotes(userId)
    await eventually(async () => {
      const rows = await t.query('select from credentials where lease_until > app_now()')
      assert.equal(rows.length, 1)
    })
    // Simulates a lease that has expired, so that the rotation does not wait for it.
    await t.query('update credentials set lease_until = null where registered_user_id = $1', [userId])
    await rotateAround(async () => undefined)
    release()
    await calling
    t.sandbox.clearFaults()
    await assertAllDecrypt()
    const [row] = await t.query('select version, status from credentials where registered_user_id = $1', [
      userId,
    ])
    assert.deepEqual(row, { version: 2, status: 'active' })
    await expire()
    await callNotes(userId)
  })

  it('callers that wait for a refresh decrypt its token with the current key', async () => {
    const userId = await linkedUser()
    await t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [
      userId,
    ])
    t.sandbox.script({ target: 'token', behavior: 'slow', delay_ms: 700 })
    const calling = Promise.all([callNotes(userId), callNotes(userId), callNotes(userId)])
    await eventually(async () => {
      assert.equal((await t.query('select from credentials where lease_until > app_now()')).length, 1)
    })
    await rotateAround(async () => undefined)
    await calling
    t.sandbox.clearFaults()
    await assertAllDecrypt()
  })

  it('a code is confirmed, and the replaced token can still be revoked', async () => {
    const userId = await linkedUser()
    const { hash } = await pendingCode(userId)
    const { db } = t.service.features
    const redeemed = await rotateAround(() => redeemSecrets(db, [redemptionOf(hash)], [NOTES]))
    assert.ok(redeemed[0])
    const superseded = await t.query(
      `select from revocations where registered_user_id = $1 and reason = 'replaced'`,
      [userId],
    )
    assert.equal(superseded.length, 1)
    await assertAllDecrypt()
    await callNotes(userId)
  })

  it('secrets of codes being confirmed, rejected or expired are rotated in their new location', async () => {
    const [ana, ben, cleo] = [await linkedUser(), await t.createUser(), await t.createUser()]
    const confirmed = await pendingCode(ana)
    await rotateDuring(db => db.transaction(tx => redeemSecrets(tx, [redemptionOf(confirmed.hash)], [NOTES])))
    await assertAllDecrypt()
    const rejected = await pendingCode(ben.id)
    await rotateDuring(db =>
      db.transaction(tx => pendingSecretStore.end(tx, t.organization.id, rejected.hash, 'code_rejected')),
    )
    await assertAllDecrypt()
    await pendingCode(cleo.id)
    await t.moveClock(6 * MINUTE)
    await rotateDuring(db => db.transaction(tx => pendingSecretStore.endOverdue(tx, 10)))
    await assertAllDecrypt()
  })

  it('the rotation waits for a link that is being completed, and its secret gets the new key too', async () => {
    const { id } = await t.createUser()
    await t.mint(id)
    const [{ id: sessionId }] = (await t.query('select id from link_sessions where registered_user_id = $1', [
      id,
    ])) as [{ id: string }]
    const { features } = t.service
    const found = await readSession(features.db, { organizationId: t.organization.id, sessionId })
    const completion = await rotateDuring(db =>
      completeSession({ ...features, db }, found?.session as StoredSession, {
        attemptId: newUuid(),
        connectorSlug: 'sandbox-vault',
        serverId: null,
        secret: apiKeySecret('sv_live_of_a_race'),
        scopes: [],
        account: null,
        accountId: null,
        oauthApp: null,
        expiresInSeconds: null,
        endsInSeconds: null,
      }),
    )
    assert.equal(completion.completed, true)
    await assertAllDecrypt()
  })

  it('a caller that read the credential before a refresh and a rotation gets the current token', async () => {
    const userId = await linkedUser()
    const { features } = t.service
    const [{ id }] = (await t.query('select id from credentials where registered_user_id = $1', [
      userId,
    ])) as [{ id: string }]
    const credential = (await credentialStore.find(features.db, t.organization.id, id)) as StoredCredential
    await t.query('update credentials set access_expires_at = app_now() where id = $1', [id])
    await callNotes(userId)
    await rotate()
    const input = {
      organizationId: t.organization.id,
      registeredUserId: userId,
      connectorSlug: NOTES,
      credential,
    }
    const opened = await refreshCredential(features, input)
    assert.deepEqual([opened.usable, opened.usable && opened.credential.version], [true, 2])
  })

  it('a grant that waits for a site choice is completed after and during a rotation', async () => {
    const { slug } = sitesConnector
    await useOwnApp(t, slug)
    const user = await t.createUser()
    const browser = createBrowserUser()
    const consent = await browser.open((await t.mint(user.id, { connector: slug })).magic_link_url)
    const page = await consentAtSandbox(browser, await browser.submit(consent, /\/start$/))
    await rotate()
    await assertAllDecrypt()
    const done = await rotateAround(() => browser.submit(page, /\/site$/, { site: 'harbour-club' }))
    assert.match(done.title, /is connected/)
    await assertAllDecrypt()
    const { body } = await t.mcp(user.id, 'tools/call', { name: `${slug}__list_pages`, arguments: {} })
    assert.equal(body.result.structuredContent.site, 'harbour-club')
  })

  it('tokens of expired and rejected codes can still be revoked', async () => {
    const [first, second] = [await t.createUser(), await t.createUser()]
    const rejected = await pendingCode(first.id)
    await pendingCode(second.id)
    await rotateAround(() => rejectPending(t.service.features.db, t.organization.id, rejected.hash))
    await assertAllDecrypt()
    await t.moveClock(6 * MINUTE)
    await rotateAround(() => endOverdueSecrets(t.service.features.db))
    await endOverdueSecrets(t.service.features.db)
    const ended = await t.query(
      `select reason from revocations where registered_user_id = any($1::uuid[]) order by reason`,
      [[first.id, second.id]],
    )
    assert.deepEqual(
      ended.map(({ reason }) => reason),
      ['code_expired', 'code_rejected'],
    )
    await assertAllDecrypt()
  })

  it('deactivation and deletion complete, and the tokens are revoked', async () => {
    const [ana, ben] = [await linkedUser(), await linkedUser()]
    const revoked = () => t.sandbox.ledger.filter(({ kind }) => kind === 'revoke').length
    const earlier = revoked()
    const answers = await rotateAround(() =>
      Promise.all([
        t.call('PATCH', `/api/v1/registered-users/${ana}`, { body: { is_active: false } }),
        t.call('DELETE', `/api/v1/registered-users/${ben}`),
      ]),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 204],
    )
    await eventually(async () => assert.ok(revoked() >= earlier + 2))
  })

  it('no error or alert was logged', () => {
    assert.deepEqual(
      t.logLines.filter(line => /"level":"error"|sealed_secret_does_not_open/.test(line)),
      [],
    )
  })
})
