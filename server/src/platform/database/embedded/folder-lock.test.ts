import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createTestDatabase } from '../../../../test/support/databases.ts'
import { runSql } from '../../../../test/support/run-sql.ts'
import { FolderInUse, lockFolder } from './folder-lock.ts'
import { openPglite } from './pglite.ts'

const MODULE = join(import.meta.dirname, 'folder-lock.ts')
/** Prints whether it acquired the lock, and holds it until it is killed. */
const HOLDER = `
  const { lockFolder } = await import(process.argv[1])
  try { lockFolder(process.argv[2]); console.log('locked'); setInterval(() => {}, 1000) }
  catch (error) { console.log(error.name + ': ' + error.message); process.exit(3) }`

describe('the lock on the data folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-lock-'))
  const children: ChildProcess[] = []
  after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  })

  const hold = async (folder: string): Promise<{ child: ChildProcess; output: string }> => {
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--input-type=module', '-e', HOLDER, MODULE, folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    children.push(child)
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    return { child, output: line.toString().trim() }
  }

  it('is denied to a second process, with instructions', async () => {
    const folder = join(root, 'one')
    const unlock = lockFolder(folder)
    const { child, output } = await hold(folder)
    assert.match(output, /^FolderInUse: /)
    for (const part of [folder, 'in use by another process', 'DATA_DIRECTORY', 'DATABASE_URL'])
      assert.ok(output.includes(part), part)
    if (child.exitCode === null) await once(child, 'exit')
    assert.equal(child.exitCode, 3)
    unlock()
  })

  it('is released by kill -9 without anything to clean up', async () => {
    const folder = join(root, 'two')
    const { child, output } = await hold(folder)
    assert.equal(output, 'locked')
    assert.throws(() => lockFolder(folder), FolderInUse)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockFolder(folder)()
  })

  it('is released explicitly', async () => {
    const folder = join(root, 'three')
    lockFolder(folder)()
    assert.equal((await hold(folder)).output, 'locked')
  })

  it('applies within one process, and for another path to the same folder', () => {
    const folder = join(root, 'four')
    const unlock = lockFolder(folder)
    symlinkSync(folder, join(root, 'four-again'))
    assert.throws(() => lockFolder(folder), FolderInUse)
    assert.throws(() => lockFolder(join(root, 'four-again')), FolderInUse)
    unlock()
  })

  it('does not apply to other folders', () => {
    const locks = ['five', 'six'].map(name => lockFolder(join(root, name)))
    for (const unlock of locks) unlock()
  })

  it('restricts an existing folder and its contents to the owner', async () => {
    const database = await createTestDatabase('pglite')
    const folder = database.folder as string
    const outside = join(root, 'outside')
    writeFileSync(outside, '')
    chmodSync(outside, 0o644)
    symlinkSync(outside, join(folder, 'link'))
    const all = () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
    for (const path of all()) if (path !== join(folder, 'link')) chmodSync(path, 0o777)
    chmodSync(folder, 0o755)
    const db = await openPglite(folder)
    const [row] = await runSql<{ one: number }>(db, 'select 1 as one')
    await db.close()
    assert.equal(row?.one, 1)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    const open = all().filter(path => (lstatSync(path).mode & 0o007) === 0o007)
    assert.deepEqual(open, [join(folder, 'link')], 'existing files are restricted')
    assert.equal(statSync(outside).mode & 0o777, 0o644, 'the target of a symbolic link is not changed')
    await database.drop()
  })

  it('creates a missing folder for its owner only', () => {
    const folder = join(root, 'deep', 'seven')
    lockFolder(folder)()
    assert.equal(statSync(folder).mode & 0o777, 0o700)
  })
})
