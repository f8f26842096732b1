import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  createTestDatabase,
  flowEngines,
  moveClock,
  openTestDatabase,
  type TestDatabase,
} from '../../../../test/support/databases.ts'
import { runSql } from '../../../../test/support/run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../../../../test/support/sealed-users.ts'
import { HOUR } from '../../../core/duration.ts'
import type { Secret } from '../../../core/secret.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Parameter } from '../../../platform/database/statement.ts'
import { createLog } from '../../../platform/log.ts'
import { generateVaultKey, VaultKeyError } from '../../../platform/vault/key.ts'
import { fixedKeyRing, type VaultKeyRing } from '../../../platform/vault/key-ring.ts'
import { unsealWithAnyKey } from '../../../platform/vault/previous-user-keys.ts'
import { seal, unseal } from '../../../platform/vault/sealing.ts'
import { openVault, type Vault } from '../../../platform/vault/vault.ts'
import { createOrganization } from '../../organizations/create-organization.ts'
import { resealForOrganization, unsealForRevocation, unsealSecret } from '../credential-secret.ts'
import { rotateKeys, type VaultKeySource } from './rotate-keys.ts'
import type { Progress } from './rotate-progress.ts'
import { retireOrganizationKeys } from './rotate-retire.ts'

type SealedSecret = {
  registered_user_id: string
  connector_slug: string
  secret_id: string
  sealed: Buffer
  data_key: Buffer
}

/** A key file in memory: the first key wraps new data, and the others can be dropped. */
const createKeeper = () => {
  const keys: Secret[] = [generateVaultKey('production')]
  const now = (): VaultKeyRing => fixedKeyRing(keys, { production: true })
  const keySource = {
    ring: { source: 'test', first: () => now().first(), find: (id: Buffer) => now().find(id) },
    add: () => void keys.unshift(generateVaultKey('production')),
    dropOlder: inUse => {
      const at = keys.findIndex(key => fixedKeyRing([key], { production: true }).find(inUse.id))
      return keys.splice(at + 1).length
    },
  } satisfies VaultKeySource
  return { keys, keySource }
}

for (const engine of flowEngines) {
  describe(`key rotation on ${engine}`, () => {
    let database: TestDatabase
    let db: Database
    let vault: Vault
    let keys: Secret[]
    let keySource: VaultKeySource
    let organizationId: string
    let users: string[]

    const rows = <Row>(text: string, parameters: Parameter[] = []) => runSql<Row>(db, text, parameters)
    const run = (onProgress?: (progress: Progress) => void) =>
      rotateKeys({ db, keySource, ...(onProgress && { onProgress }) })
    const sealedRows = () =>
      rows<SealedSecret>(
        `select s.*, u.data_key from sealed_secrets s
         join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id order by s.secret_id`,
      )
    const openRow = async (row: SealedSecret, through: Vault) => {
      const owner = {
        organizationId,
        registeredUserId: row.registered_user_id,
        connectorSlug: row.connector_slug,
        secretId: row.secret_id,
      }
      const key = await through.openUserKey(organizationId, row.registered_user_id, row.data_key)
      const secret = unsealSecret(key, owner, row.sealed)
      return secret.kind === 'api_key' ? (secret.fields.api_key?.reveal() ?? null) : null
    }
    /** Decrypts everything with a newly opened vault, which has only the remaining keys. */
    const assertAllDecrypt = async () => {
      const fresh = await openVault(db, keySource.ring)
      for (const row of await sealedRows())
        assert.equal(await openRow(row, fresh), `${row.registered_user_id} ${row.connector_slug}`)
    }

    before(async () => {
      database = await createTestDatabase(engine)
      db = await openTestDatabase(database)
    })
    beforeEach(async () => {
      await db.script('truncate organizations, service_secrets, key_rotations, revocations cascade')
      ;({ keys, keySource } = createKeeper())
      vault = await openVault(db, keySource.ring)
      organizationId = (await createOrganization({ db, vault }, 'Orbit')).organization.id
      users = await seedSealedUsers(
        { db, vault },
        {
          organizationId,
          users: 150,
          connectors: ['notes', 'mail'],
          secretOf: (user, connector) => apiKeySecret(`${user} ${connector}`),
        },
      )
      users.sort()
      // One secret belongs to a pending code, one to a pending revocation.
      await rows(
        `with moved as (delete from credentials where registered_user_id = $1 and connector_slug = 'mail' returning *)
         insert into pending_secrets (organization_id, code_hash, session_id, registered_user_id, mode, session_minted_at, expires_at,
           connector_slug, secret_id, sealed, method, scopes)
         select organization_id, 'hash', id, registered_user_id, 'test', app_now(), app_now() + interval '1 hour', connector_slug,
           secret_id, sealed, method, scopes from moved`,
        [users[0] as string],
      )
      await rows(`select revoke_credentials($1, $2, 'test')`, [organizationId, users[1] as string])
    })
    after(async () => {
      await db.close()
      await database.drop()
    })

    it('replaces every key, and everything can be decrypted without the old keys', async () => {
      const earlier = await sealedRows()
      assert.equal(earlier.length, 300)
      const [old] = await vault.organizationKeys(organizationId)
      const progressReports: Progress[] = []
      const result = await run(progress => progressReports.push(progress))
      assert.deepEqual(
        [result.users, result.secrets, result.resumed, result.droppedVaultKeys, result.unreadable.length],
        [150, 300, false, 1, 0],
      )
      assert.equal(keys.length, 1)
      await assertAllDecrypt()
      const later = new Map((await sealedRows()).map(row => [row.secret_id, row]))
      for (const row of earlier) {
        const now = later.get(row.secret_id) as SealedSecret
        assert.ok(!now.sealed.subarray(1, 17).equals(row.sealed.subarray(1, 17)), 'a new data key')
        assert.ok(!now.data_key.includes(old.id), 'under a new organization key')
      }
      assert.deepEqual([progressReports.at(-1)?.done, progressReports.at(-1)?.all], [150, 150])
      assert.ok((progressReports.at(-1)?.perSecond ?? 0) > 0)
    })

    it('leaves stored results readable by their previous keys until their user is deleted', async () => {
      const [userId = '', other = ''] = users
      const user = async (of: Vault) => {
        const [row] = await rows<{ data_key: Buffer }>(
          'select data_key from registered_users where id = $1',
          [userId],
        )
        return {
          organizationId,
          userId,
          userKey: await of.openUserKey(organizationId, userId, (row as { data_key: Buffer }).data_key),
        }
      }
      const sealed: Buffer[] = []
      for (let times = 0; times < 3; times++) {
        sealed.push(seal((await user(vault)).userKey, `record ${times}`, ['record', String(times)]))
        await run()
        await assertAllDecrypt()
        vault = await openVault(db, keySource.ring)
        const now = await user(vault)
        for (const [n, each] of sealed.entries())
          assert.equal(
            (await unsealWithAnyKey(db, now, each, ['record', String(n)])).toString(),
            `record ${n}`,
          )
      }
      const now = await user(vault)
      await assert.rejects(
        unsealWithAnyKey(db, now, sealed[0] as Buffer, ['record', '1']),
        /changed, or belongs/,
      )
      await rows(
        'update previous_user_keys set registered_user_id = $2 where registered_user_id = $1 and key_id = $3',
        [userId, other, (sealed[0] as Buffer).subarray(1, 17)],
      )
      await assert.rejects(
        unsealWithAnyKey(db, { ...now, userId: other }, sealed[0] as Buffer, ['record', '0']),
        /changed, or belongs/,
      )
      await rows('delete from registered_users where id = $1', [userId])
      assert.deepEqual(
        await rows('select 1 from previous_user_keys where registered_user_id = $1', [userId]),
        [],
      )
    })

    it('does not affect a node that has the previous keys cached', async () => {
      await vault.organizationKey(organizationId)
      await run()
      for (const row of await sealedRows()) assert.ok(await openRow(row, vault))
    })

    it('does not affect a transaction, which reads the new keys through its connection', async () => {
      await vault.organizationKey(organizationId)
      await run()
      const [row] = (await sealedRows()).filter(each => each.registered_user_id === users[3])
      const dataKey = row?.data_key as Buffer
      await db.transaction(async tx => {
        assert.ok(await vault.openUserKey(organizationId, users[3] as string, dataKey, tx))
        await assert.rejects(
          vault.openUserKey(organizationId, users[3] as string, dataKey),
          /Use the transaction handle/,
        )
      })
    })

    it('makes old data keys useless: a row restored from before cannot be decrypted', async () => {
      const [row] = await sealedRows()
      await run()
      const [now] = (await sealedRows()).filter(each => each.secret_id === row?.secret_id)
      await assert.rejects(
        openRow({ ...(row as SealedSecret), data_key: now?.data_key as Buffer }, vault),
        /sealed under another key/,
      )
    })

    it('resumes a killed run without repeating work [credential.keys-rotate]', async () => {
      let reports = 0
      await assert.rejects(
        run(() => {
          if (++reports === 2) throw new Error('killed')
        }),
        /killed/,
      )
      assert.equal(keys.length, 2, 'the old vault key is still needed')
      await assertAllDecrypt()
      const half = (await sealedRows()).filter(row => row.registered_user_id === users[50])
      const result = await run()
      assert.deepEqual([result.resumed, result.users, keys.length], [true, 150, 1])
      const again = (await sealedRows()).filter(row => row.registered_user_id === users[50])
      assert.deepEqual(again, half)
      await assertAllDecrypt()
      assert.deepEqual(await rows('select from key_rotations where finished_at is null'), [])
    })

    it('lets two concurrent runs alternate', async () => {
      const results = await Promise.all([run(), run()])
      assert.equal(results.filter(({ resumed }) => resumed).length, 1)
      assert.equal(keys.length, 1)
      assert.equal((await rows('select from key_rotations')).length, 1)
      const [rotation] = await rows<{ users_done: number }>('select users_done from key_rotations')
      assert.equal(rotation?.users_done, 150)
      await assertAllDecrypt()
    })

    it('postpones a user whose token is being refreshed', async () => {
      await rows(
        `update credentials set lease_until = app_now() + interval '1 hour' where registered_user_id = $1`,
        [users[7] as string],
      )
      const [leased] = await rows<{ data_key: Buffer }>(
        'select data_key from registered_users where id = $1',
        [users[7] as string],
      )
      let unlocked = false
      const reported: number[] = []
      const rotating = run(({ done }) => {
        reported.push(done)
        if (done < 149 || unlocked) return
        unlocked = true
        void rows(
          `with seen as (select data_key from registered_users where id = $1)
           update credentials set lease_until = null from seen where registered_user_id = $1 and seen.data_key = $2`,
          [users[7] as string, leased?.data_key as Buffer],
        )
      })
      assert.equal((await rotating).users, 150)
      assert.ok(reported.includes(149), 'all others first, then this one')
      await assertAllDecrypt()
    })

    it('also seals the secrets of OAuth apps and MCP connectors again', async () => {
      const id = newUuid()
      const context = ['oauth-app', organizationId, id] as const
      await rows(
        `insert into oauth_apps (organization_id, id, connector_slug, kind, context, client_id, sealed_secret)
         values ($1, $2, 'mail', 'given', 'mail', 'client', $3)`,
        [organizationId, id, seal(await vault.organizationKey(organizationId), 'a client secret', context)],
      )
      await run()
      const [app] = await rows<{ sealed_secret: Buffer }>('select sealed_secret from oauth_apps')
      const sealed = app?.sealed_secret as Buffer
      const [newest] = await vault.organizationKeys(organizationId)
      assert.equal(unseal(newest, sealed, context).toString(), 'a client secret')
    })

    it('reports secrets that cannot be decrypted, leaves them unchanged and continues', async () => {
      const broken = users[20] as string
      await rows(
        `update credentials set sealed = overlay(sealed placing 'xx' from 70) where registered_user_id = $1 and connector_slug = 'mail'`,
        [broken],
      )
      await rows(
        `update registered_users set data_key = overlay(data_key placing 'xx' from 70) where id = $1`,
        [users[21] as string],
      )
      const { unreadable } = await run()
      assert.deepEqual(
        unreadable.map(({ location }) => [location.registeredUserId, location.connectorSlug]),
        [
          [broken, 'mail'],
          [users[21], null],
        ],
      )
      assert.equal(keys.length, 1)
    })

    it('destroys an old organization key after a day, having resealed what a late node sealed', async () => {
      const node = await openVault(db, keySource.ring)
      const old = await node.organizationKey(organizationId)
      await run()
      // This node has cached the old key: it creates a user, and passes a token to the revocation job.
      const [late] = await seedSealedUsers(
        { db, vault: node },
        {
          organizationId,
          users: 1,
          connectors: ['notes'],
          secretOf: (user, connector) => apiKeySecret(`${user} ${connector}`),
        },
      )
      const log = createLog('silent')
      const generations = async () =>
        (await rows<{ generation: number }>('select generation from organization_keys order by 1')).map(
          row => row.generation,
        )
      await retireOrganizationKeys({ db, vault, log })
      assert.deepEqual(await generations(), [1, 2], 'not within a day')
      await moveClock(db, 26 * HOUR)
      const [row] = (await sealedRows()).filter(each => each.registered_user_id === late)
      const owner = {
        organizationId,
        registeredUserId: late as string,
        connectorSlug: 'notes',
        secretId: row?.secret_id as string,
      }
      const userKey = await node.openUserKey(organizationId, late as string, row?.data_key as Buffer)
      const resealed = resealForOrganization({
        userKey,
        organizationKey: old,
        owner,
        sealed: row?.sealed as Buffer,
        account: null,
      })
      await rows(
        `insert into revocations (organization_id, connector_slug, secret_id, sealed, sealed_under, reason, give_up_at)
         values ($1, 'notes', $2, $3, 'organization', 'test', app_now() + interval '1 hour')`,
        [organizationId, owner.secretId, resealed],
      )
      await retireOrganizationKeys({ db, vault, log })
      assert.deepEqual(await generations(), [1, 2], 'not while a revocation needs it')
      assert.ok(unsealForRevocation(await vault.organizationKeyOf(organizationId, resealed), owner, resealed))
      await rows(
        `update revocations set outcome = 'gave_up', sealed = null where sealed_under = 'organization'`,
      )
      await retireOrganizationKeys({ db, vault, log })
      assert.deepEqual(await generations(), [2])
      await assertAllDecrypt()
    })

    it('refuses to resume without the rotation’s vault key', async () => {
      let reports = 0
      const killed = run(() => {
        if (++reports === 2) throw new Error('killed')
      })
      await assert.rejects(killed, /killed/)
      const without = fixedKeyRing([keys[1] as Secret], { production: true })
      await assert.rejects(rotateKeys({ db, keySource: { ring: without } }), VaultKeyError)
    })

    it('keeps the vault key from settings if there is no other, and replaces all other keys', async () => {
      const [key] = keys
      await rotateKeys({ db, keySource: { ring: fixedKeyRing([key as Secret], { production: true }) } })
      assert.deepEqual(keys, [key])
      const [newest] = await vault.organizationKeys(organizationId)
      assert.equal(newest.generation, 2)
      await assertAllDecrypt()
    })

    it('wraps no new organization under a vault key that is about to be removed', async () => {
      const early = await openVault(db, fixedKeyRing(keys, { production: true }))
      await run()
      await assert.rejects(createOrganization({ db, vault: early }, 'Late'), VaultKeyError)
      const created = await createOrganization({ db, vault }, 'In time')
      assert.ok(await (await openVault(db, keySource.ring)).organizationKey(created.organization.id))
    })
  })
}
