import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { newUuid } from '../core/uuid.ts'
import { openTombstoneLog, readTombstones, TombstoneLogError } from './tombstone-log.ts'

describe('the tombstone log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-tombstones-'))
  after(() => rmSync(folder, { recursive: true }))
  const tombstone = () => ({ organizationId: newUuid(), registeredUserId: newUuid() })

  it('creates its folder and file for the owner only, and returns entries in order', async () => {
    const path = join(folder, 'new', 'deleted.log')
    const log = await openTombstoneLog(path)
    const written = [tombstone(), tombstone()]
    for (const each of written) await log.append(each)
    assert.deepEqual(await readTombstones(path), { tombstones: written, malformed: 0 })
    assert.deepEqual(
      [join(folder, 'new'), path].map(each => statSync(each).mode & 0o777),
      [0o700, 0o600],
    )
  })

  it('keeps previous entries, and starts a new line after a truncated one', async () => {
    const path = join(folder, 'torn.log')
    const [first, second] = [tombstone(), tombstone()]
    await (await openTombstoneLog(path)).append(first)
    appendFileSync(path, newUuid().slice(0, 20))
    await (await openTombstoneLog(path)).append(second)
    assert.deepEqual(await readTombstones(path), { tombstones: [first, second], malformed: 1 })
  })

  it('keeps all entries of concurrent writers', async () => {
    const path = join(folder, 'busy.log')
    const logs = [await openTombstoneLog(path), await openTombstoneLog(path)]
    const written = Array.from({ length: 40 }, tombstone)
    await Promise.all(written.flatMap((each, n) => logs[n % 2]?.append(each) ?? []))
    const { tombstones, malformed } = await readTombstones(path)
    const ids = (list: typeof written) => list.map(each => each.registeredUserId).toSorted()
    assert.deepEqual([ids(tombstones), malformed], [ids(written), 0])
    assert.equal(readFileSync(path, 'utf8').length, 40 * 74)
  })

  it('fails to open with the file and the setting if it cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    mkdirSync(join(folder, 'directory'))
    for (const path of [join(folder, 'file', 'deleted.log'), join(folder, 'directory')])
      await assert.rejects(openTombstoneLog(path), (error: Error) => {
        assert.ok(error instanceof TombstoneLogError)
        assert.ok(error.message.includes(path) && error.message.includes('TOMBSTONE_PATH'))
        return true
      })
  })
})
