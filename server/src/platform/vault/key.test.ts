import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { Secret } from '../../core/secret.ts'
import { generateVaultKey, parseVaultKey, VaultKeyError } from './key.ts'
import { newDataKey, SealBroken } from './sealing.ts'

describe('the vault key', () => {
  it('wraps a key for its owner, and does not unwrap it for another', async () => {
    const kek = parseVaultKey(generateVaultKey('production'), { production: true })
    const key = newDataKey()
    const wrapped = await kek.wrap(key, 'organization-1')
    const again = await kek.unwrap(wrapped, 'organization-1')
    assert.deepEqual([again.id, again.key.export()], [key.id, key.key.export()])
    await assert.rejects(kek.unwrap(wrapped, 'organization-2'), SealBroken)
    const other = parseVaultKey(generateVaultKey('production'), { production: true })
    await assert.rejects(other.unwrap(wrapped, 'organization-1'), SealBroken)
    assert.ok(!wrapped.includes(key.key.export()))
  })

  it('for development is rejected in production, with instructions', () => {
    const key = generateVaultKey('development')
    assert.doesNotThrow(() => parseVaultKey(key, { production: false }))
    assert.throws(
      () => parseVaultKey(key, { production: true }),
      /is for development.*carabiner vault-key create/s,
    )
  })

  it('for production works everywhere', () => {
    const key = generateVaultKey('production')
    for (const production of [true, false]) assert.doesNotThrow(() => parseVaultKey(key, { production }))
  })

  it('that is malformed is rejected without being repeated in the message', () => {
    const good = generateVaultKey('production').reveal()
    const bad = [
      '',
      'hunter2',
      good.slice(0, -1),
      `${good}a`,
      good.replace('v1', 'v2'),
      good.replace('production', 'none'),
    ]
    for (const text of [...bad, ` ${good}`, `${good}\n${good}`, good.replace(/.$/, '!')])
      assert.throws(
        () => parseVaultKey(new Secret(text), { production: true }),
        (error: Error) => error instanceof VaultKeyError && (text === '' || !inspect(error).includes(text)),
        text,
      )
  })

  it('is not revealed when it is printed', () => {
    const key = generateVaultKey('production')
    const kek = parseVaultKey(key, { production: true })
    const secret = key.reveal().slice(-40)
    assert.ok(
      !(inspect(kek, { depth: null, showHidden: true }) + inspect(key) + JSON.stringify(kek)).includes(
        secret,
      ),
    )
  })
})
