import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  createTestDatabase,
  engines,
  openTestDatabase,
  type TestDatabase,
} from '../../../test/support/databases.ts'
import { runSql } from '../../../test/support/run-sql.ts'
import { MINUTE } from '../../core/duration.ts'
import { Secret } from '../../core/secret.ts'
import { newUuid } from '../../core/uuid.ts'
import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { generateVaultKey, VaultKeyError } from './key.ts'
import { writeVaultKeyFile } from './key-file.ts'
import { fixedKeyRing } from './key-ring.ts'
import { openVaultFor } from './open-vault.ts'
import { SealBroken, seal, unseal } from './sealing.ts'
import { hasVaultSecrets, openVault, type Vault } from './vault.ts'

const parse = (...keys: Secret[]) => fixedKeyRing(keys, { production: true })

for (const engine of engines) {
  describe(`the vault on ${engine}`, () => {
    const key = generateVaultKey('production')
    let database: TestDatabase
    let db: Database
    let vault: Vault
    let now = 0
    const organization = newUuid()
    const user = newUuid()
    before(async () => {
      database = await createTestDatabase(engine)
      db = await openTestDatabase(database)
      vault = await openVault(db, parse(key), () => now)
      await db.script(
        `insert into organizations (id, name, routing_code) values ('${organization}', 'Orbit', '0001')`,
      )
      await db.transaction(tx => vault.createOrganizationKey(tx, organization))
    })
    after(async () => {
      await db.close()
      await database.drop()
    })

    it('creates a user key that decrypts what it sealed, also after a restart', async () => {
      const wrapped = await vault.createUserKey(organization, user)
      const sealed = seal(await vault.openUserKey(organization, user, wrapped), 'token', ['credential', user])
      const again = await openVault(db, parse(key))
      const opened = unseal(await again.openUserKey(organization, user, wrapped), sealed, [
        'credential',
        user,
      ])
      assert.equal(opened.toString(), 'token')
    })

    it('does not unwrap a user key for another user, nor with one byte changed', async () => {
      const wrapped = await vault.createUserKey(organization, user)
      await assert.rejects(vault.openUserKey(organization, newUuid(), wrapped), SealBroken)
      for (const at of [0, 1, 20, 50, 66, wrapped.length - 1]) {
        const changed = Buffer.from(wrapped)
        changed[at] = (changed[at] ?? 0) ^ 1
        await assert.rejects(vault.openUserKey(organization, user, changed), SealBroken, `byte ${at}`)
      }
    })

    it('creates a different key for every user', async () => {
      const wrapped = await Promise.all([1, 2, 3].map(() => vault.createUserKey(organization, user)))
      const keys = await Promise.all(wrapped.map(each => vault.openUserKey(organization, user, each)))
      assert.equal(new Set(keys.map(each => each.key.export().toString('hex'))).size, 3)
    })

    it('caches the key of an organization for five minutes', async () => {
      const first = await vault.organizationKey(organization)
      now += 5 * MINUTE - 1
      assert.equal(await vault.organizationKey(organization), first)
      now += 1
      assert.notEqual(await vault.organizationKey(organization), first)
    })

    it('does not cache that an organization had no key', async () => {
      const late = newUuid()
      await assert.rejects(vault.organizationKey(late), /has no key/)
      await db.script(`insert into organizations (id, name, routing_code) values ('${late}', 'Late', '0002')`)
      await db.transaction(tx => vault.createOrganizationKey(tx, late))
      assert.ok(await vault.organizationKey(late))
    })

    it('stores no key if the creation of the organization fails', async () => {
      const never = newUuid()
      const failed = db.transaction(async tx => {
        await vault.createOrganizationKey(tx, never)
        throw new Error('no')
      })
      await assert.rejects(failed)
      await assert.rejects(vault.organizationKey(never))
    })

    it('stores nothing readable in the database', async () => {
      const rows = await runSql<{ wrapped: Buffer }>(
        db,
        'select wrapped from service_secrets union all select wrapped from organization_keys',
      )
      assert.ok(rows.length >= 2)
      const exported = (await vault.organizationKey(organization)).key.export()
      for (const { wrapped } of rows) assert.ok(!wrapped.includes(exported))
    })

    it('rejects a wrong vault key with a clear message', async () => {
      await assert.rejects(openVault(db, parse(generateVaultKey('production'))), (error: Error) => {
        assert.ok(error instanceof VaultKeyError)
        assert.match(error.message, /not the one that this database was created with.*KEY_FILE or VAULT_KEY/)
        return true
      })
      assert.ok(await openVault(db, parse(key)), 'the right key still works')
    })

    it('distinguishes another format from a wrong key', async () => {
      await db.script(`update service_secrets set wrapped = overlay(wrapped placing '\\x01' from 1)`)
      await assert.rejects(openVault(db, parse(key)), /sealed by another version of Carabiner/)
      await db.script(`update service_secrets set wrapped = overlay(wrapped placing '\\x02' from 1)`)
      assert.ok(await openVault(db, parse(key)))
    })

    it('is initialized by one of two nodes that start at once', async () => {
      await db.script('delete from service_secrets')
      const nodes = await Promise.all([1, 2, 3, 4].map(() => openVault(db, parse(key))))
      const signatures = nodes.map(({ signer }) => signer.sign('test', 'text').toString('hex'))
      assert.equal(new Set(signatures).size, 1)
    })

    it('verifies a signature for its purpose and text only', () => {
      const { signer } = vault
      const signature = signer.sign('magic-link', 'text')
      assert.ok(signer.verify('magic-link', 'text', signature))
      assert.ok(!signer.verify('form', 'text', signature))
      assert.ok(!signer.verify('magic-link', 'texts', signature))
      for (let at = 0; at < signature.length; at++) {
        const changed = Buffer.from(signature)
        changed[at] = (changed[at] ?? 0) ^ 1
        assert.ok(!signer.verify('magic-link', 'text', changed))
      }
      for (const length of [0, 4, 15])
        assert.ok(!signer.verify('magic-link', 'text', signature.subarray(0, length)))
      assert.ok(!signer.verify('magic-link', 'text', Buffer.concat([signature, Buffer.of(0)])))
    })
  })
}

describe('the vault at the start of the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-start-'))
  let database: TestDatabase
  let db: Database
  before(async () => {
    database = await createTestDatabase('postgres')
    db = await openTestDatabase(database)
  })
  after(async () => {
    await db.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const development = (file: string): Config => readConfig({ KEY_FILE: join(folder, file) })
  const production = (file: string): Config =>
    readConfig({
      NODE_ENV: 'production',
      BASE_URL: 'https://link.example.com',
      TRUST_PROXY: '10.0.0.1',
      KEY_FILE: join(folder, file),
    })

  it('creates no key in production', async () => {
    await assert.rejects(
      openVaultFor(production('none.key'), db),
      /There is no vault key at .*carabiner vault-key create/,
    )
    assert.equal(await hasVaultSecrets(db), false)
  })

  it('rejects a development key in production, before the database is used', async () => {
    writeVaultKeyFile(join(folder, 'weak.key'), 'development')
    await assert.rejects(openVaultFor(production('weak.key'), db), /is for development/)
    assert.equal(await hasVaultSecrets(db), false)
  })

  it('creates a key for a new database in development, readable by its owner only', async () => {
    await openVaultFor(development('dev.key'), db)
    assert.equal(statSync(join(folder, 'dev.key')).mode & 0o777, 0o400)
    assert.equal(await hasVaultSecrets(db), true)
  })

  it('uses that key from then on, unchanged', async () => {
    const earlier = readFileSync(join(folder, 'dev.key'), 'utf8')
    await openVaultFor(development('dev.key'), db)
    assert.equal(readFileSync(join(folder, 'dev.key'), 'utf8'), earlier)
  })

  it('does not start without the key of an existing database, and creates none', async () => {
    for (const config of [development('lost.key'), production('lost.key')])
      await assert.rejects(openVaultFor(config, db), /vault key is missing.*lost\.key.*Restore it/)
    assert.throws(() => statSync(join(folder, 'lost.key')), { code: 'ENOENT' })
  })

  it('rejects another key, from a file or from the environment', async () => {
    writeVaultKeyFile(join(folder, 'other.key'), 'development')
    const config = development('other.key')
    await assert.rejects(
      openVaultFor(config, db),
      /vault key in .*other\.key is not the one that this database was created with/,
    )
    const vaultKey = generateVaultKey('production')
    await assert.rejects(
      openVaultFor({ ...config, vaultKey }, db),
      /vault key in the setting VAULT_KEY is not the one that this database was created with/,
    )
  })

  it('names the file of a malformed key, and of a development key in production', async () => {
    writeFileSync(join(folder, 'bad.key'), 'not a key\n', { mode: 0o400 })
    await assert.rejects(openVaultFor(development('bad.key'), db), /vault key in .*bad\.key is malformed/)
    await assert.rejects(openVaultFor(production('dev.key'), db), /vault key in .*dev\.key is for dev/)
  })

  it('rejects a damaged key file', async () => {
    const text = readFileSync(join(folder, 'dev.key'), 'utf8').trim()
    const config = { ...development('dev.key'), vaultKey: new Secret(text.slice(0, -1)) }
    await assert.rejects(openVaultFor(config, db), VaultKeyError)
  })
})
