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
import { fileKeyRing, fixedKeyRing, keyThatWraps, unwrapKey } from './key-ring.ts'
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

  it('can be read by its owner alone, in a folder of its own', () => {
    assert.equal(statSync(path).mode & 0o777, 0o400)
    assert.equal(statSync(join(folder, 'keys')).mode & 0o777, 0o700)
    const [key] = readVaultKeyFile(path) ?? []
    assert.ok(key && parseVaultKey(key, DEVELOPMENT))
  })

  it('is rejected when group or others can read or write it, with the command that closes it', () => {
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

  it('is never overwritten by a new one', () => {
    const before = texts()
    for (const strength of ['production', 'development'] as const)
      assert.throws(() => writeVaultKeyFile(path, strength), { code: 'EEXIST' })
    assert.deepEqual(texts(), before)
  })

  it('that is not there is undefined, and not made up', () => {
    assert.equal(readVaultKeyFile(join(folder, 'missing')), undefined)
    assert.throws(() => addVaultKey(join(folder, 'missing'), 'development'), /There is no vault key at/)
  })

  it('that is empty, or has a line that is no key, is refused', () => {
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

  it('takes a new key on top, keeps the others below it, and stays readable by its owner alone', () => {
    const [first] = texts()
    addVaultKey(path, 'development')
    addVaultKey(path, 'development')
    assert.equal(texts().length, 3)
    assert.equal(texts()[2], first)
    assert.equal(new Set(texts()).size, 3)
    assert.equal(statSync(path).mode & 0o777, 0o400)
    assert.deepEqual(readdirSync(join(folder, 'keys')), ['vault.key'])
  })

  it('is another file when it was changed: whoever had it open reads the old one whole', () => {
    const { ino } = statSync(path)
    addVaultKey(path, 'development')
    assert.notEqual(statSync(path).ino, ino)
  })

  it('keeps its owner, whoever changes it', { skip: process.getuid?.() !== 0 }, () => {
    chownSync(path, 65_534, 65_534)
    addVaultKey(path, 'development')
    assert.deepEqual([statSync(path).uid, statSync(path).gid], [65_534, 65_534])
  })

  it('does not mind what a killed command left behind', () => {
    writeFileSync(`${path}.new`, 'half a k')
    addVaultKey(path, 'development')
    assert.equal(texts().length, 2)
    assert.deepEqual(readdirSync(join(folder, 'keys')), ['vault.key'])
  })

  it('loses what is below the key in use, and nothing else', () => {
    for (let n = 0; n < 3; n++) addVaultKey(path, 'development')
    const [newest, inUse] = texts()
    assert.equal(dropOlderVaultKeys(path, isText(inUse)), 2)
    assert.deepEqual(texts(), [newest, inUse])
    assert.equal(dropOlderVaultKeys(path, isText(inUse)), 0)
    assert.throws(() => dropOlderVaultKeys(path, isText('none of them')), /nothing was dropped/)
    assert.deepEqual(texts(), [newest, inUse])
  })

  it('is read again for a key that it did not hold before, and for nothing else', async () => {
    const ring = fileKeyRing(path, DEVELOPMENT)
    const old = ring.first()
    addVaultKey(path, 'development')
    const [text] = readVaultKeyFile(path) ?? []
    const added = parseVaultKey(text as Secret, DEVELOPMENT)
    const key = newDataKey()
    const wrapped = await added.wrap(key, 'organization')
    assert.deepEqual((await unwrapKey(ring, wrapped, 'organization')).id, key.id)
    assert.ok(ring.find(old.id), 'and the older one is still there')
    rmSync(path)
    assert.ok(ring.find(added.id), 'a key that is known needs no file')
    assert.throws(() => ring.find(newDataKey().id), VaultKeyError)
  })

  it('whose key is not at hand says what to bring', async () => {
    const ring = fileKeyRing(path, DEVELOPMENT)
    const wrapped = await ring.first().wrap(newDataKey(), 'organization')
    rmSync(path)
    writeVaultKeyFile(path, 'development')
    const other = fixedKeyRing(readVaultKeyFile(path) ?? [], DEVELOPMENT)
    assert.throws(() => keyThatWraps(other, wrapped), /vault key that is not here.*VAULT_KEY_PREVIOUS/)
    assert.doesNotMatch(readFileSync(path, 'utf8'), /undefined/)
  })
})
