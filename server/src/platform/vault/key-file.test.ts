import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import type { Secret } from '../../core/secret.ts'
import { parseVaultKey, VaultKeyError } from './key.ts'
import { addVaultKey, dropOlderVaultKeys, readVaultKeyFile, writeVaultKeyFile } from './key-file.ts'
import { fileKeyRing, fixedKeyRing, unwrapKey, wrappingKeyOf } from './key-ring.ts'
import { newDataKey } from './sealing.ts'

const DEVELOPMENT = { production: false }

describe('the vault key file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-vault-key-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'keys', 'vault.key')
  const texts = () => readVaultKeyFile(path)?.map(key => key.reveal()) ?? []
  const isText = (text: string | undefined) => (key: Secret) => key.reveal() === text
  beforeEach(() => {
    rmSync(join(folder, 'keys'), { recursive: true, force: true })
    writeVaultKeyFile(path, 'development')
  })

  it('is readable by its owner only, in a separate folder', () => {
    assert.equal(statSync(path).mode & 0o777, 0o400)
    assert.equal(statSync(join(folder, 'keys')).mode & 0o777, 0o700)
    const [key] = readVaultKeyFile(path) ?? []
    assert.ok(key && parseVaultKey(key, DEVELOPMENT))
  })

  it('is rejected if group or others can access it, with the command to fix that', () => {
    for (const mode of [0o440, 0o404, 0o644, 0o600 | 0o020]) {
      chmodSync(path, mode)
      assert.throws(
        () => readVaultKeyFile(path),
        (error: Error) => {
          assert.ok(error instanceof VaultKeyError)
          assert.ok(error.message.includes(`mode 0${mode.toString(8)}`))
          assert.ok(error.message.includes(`chmod 400 ${path}`))
          return true
        },
      )
    }
    chmodSync(path, 0o600)
    assert.equal(texts().length, 1)
  })

  it('is never overwritten', () => {
    const before = texts()
    for (const strength of ['production', 'development'] as const)
      assert.throws(() => writeVaultKeyFile(path, strength), { code: 'EEXIST' })
    assert.deepEqual(texts(), before)
  })

  it('is undefined if it does not exist', () => {
    assert.equal(readVaultKeyFile(join(folder, 'missing')), undefined)
    assert.throws(() => addVaultKey(join(folder, 'missing'), 'development'), /There is no vault key file at/)
  })

  it('is rejected if it is empty or has a malformed line', () => {
    chmodSync(path, 0o600)
    writeFileSync(path, ' \n\n')
    assert.throws(() => fileKeyRing(path, DEVELOPMENT), /is empty. Restore it/)
    rmSync(path)
    writeVaultKeyFile(path, 'development')
    addVaultKey(path, 'development')
    const [top, below] = texts()
    chmodSync(path, 0o600)
    writeFileSync(path, `${top}\n${below?.slice(0, -1)}\n`)
    assert.throws(() => fileKeyRing(path, DEVELOPMENT), VaultKeyError)
  })

  it('gets a new key at the top, keeps the others, and stays readable by its owner only', () => {
    const [first] = texts()
    addVaultKey(path, 'development')
    addVaultKey(path, 'development')
    assert.equal(texts().length, 3)
    assert.equal(texts()[2], first)
    assert.equal(new Set(texts()).size, 3)
    assert.equal(statSync(path).mode & 0o777, 0o400)
    assert.deepEqual(readdirSync(join(folder, 'keys')), ['vault.key'])
  })

  it('is replaced atomically: open readers keep the previous content', () => {
    const { ino } = statSync(path)
    addVaultKey(path, 'development')
    assert.notEqual(statSync(path).ino, ino)
  })

  it('keeps its owner', { skip: process.getuid?.() !== 0 }, () => {
    chownSync(path, 65_534, 65_534)
    addVaultKey(path, 'development')
    assert.deepEqual([statSync(path).uid, statSync(path).gid], [65_534, 65_534])
  })

  it('ignores the leftovers of a killed command', () => {
    writeFileSync(`${path}.new`, 'half a k')
    addVaultKey(path, 'development')
    assert.equal(texts().length, 2)
    assert.deepEqual(readdirSync(join(folder, 'keys')), ['vault.key'])
  })

  it('loses the keys below the key in use only', () => {
    for (let n = 0; n < 3; n++) addVaultKey(path, 'development')
    const [newest, inUse] = texts()
    assert.equal(dropOlderVaultKeys(path, isText(inUse)), 2)
    assert.deepEqual(texts(), [newest, inUse])
    assert.equal(dropOlderVaultKeys(path, isText(inUse)), 0)
    assert.throws(() => dropOlderVaultKeys(path, isText('none of them')), /no key was removed/)
    assert.deepEqual(texts(), [newest, inUse])
  })

  it('is read again only for a key that it did not contain before', async () => {
    const ring = fileKeyRing(path, DEVELOPMENT)
    const old = ring.first()
    addVaultKey(path, 'development')
    const [text] = readVaultKeyFile(path) ?? []
    const added = parseVaultKey(text as Secret, DEVELOPMENT)
    const key = newDataKey()
    const wrapped = await added.wrap(key, 'organization')
    assert.deepEqual((await unwrapKey(ring, wrapped, 'organization')).id, key.id)
    assert.ok(ring.find(old.id), 'the older key is still available')
    rmSync(path)
    assert.ok(ring.find(added.id), 'a cached key needs no file access')
    assert.throws(() => ring.find(newDataKey().id), VaultKeyError)
  })

  it('a missing key is reported with instructions', async () => {
    const ring = fileKeyRing(path, DEVELOPMENT)
    const wrapped = await ring.first().wrap(newDataKey(), 'organization')
    rmSync(path)
    writeVaultKeyFile(path, 'development')
    const other = fixedKeyRing(readVaultKeyFile(path) ?? [], DEVELOPMENT)
    assert.throws(
      () => wrappingKeyOf(other, wrapped),
      /vault key that wraps a stored key is missing.*VAULT_KEY_PREVIOUS/,
    )
    assert.doesNotMatch(readFileSync(path, 'utf8'), /undefined/)
  })
})
