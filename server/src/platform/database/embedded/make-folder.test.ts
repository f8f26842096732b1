import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { makeFolder } from './make-folder.ts'

describe('makeFolder', () => {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-folder-'))
  after(() => rmSync(root, { recursive: true }))

  it('creates a folder with its parents, for its owner only', () => {
    makeFolder('DATA_DIRECTORY', join(root, 'a/b'))
    assert.equal(statSync(join(root, 'a/b')).mode & 0o777, 0o700)
    makeFolder('DATA_DIRECTORY', join(root, 'a/b'))
  })

  it('rejects a file, and a folder below a file, naming the setting', () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    for (const folder of [file, join(file, 'below')])
      assert.throws(() => makeFolder('DATA_DIRECTORY', folder), {
        name: 'FolderUnusable',
        message: new RegExp(`^DATA_DIRECTORY is ${folder}, .* it is a file`),
      })
  })

  it('ends where a parent cannot be created', { skip: !existsSync('/proc/self') }, () => {
    assert.throws(() => makeFolder('DATA_DIRECTORY', '/proc/nowhere/data'), { name: 'FolderUnusable' })
  })
})
