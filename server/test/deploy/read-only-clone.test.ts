import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { NOBODY } from '../support/installation/run-installed.ts'

const RUN = join(import.meta.dirname, '../../../scripts/run.mjs')

test('npm start by an account that may not write to the clone names the remedy, without a stack', () => {
  const clone = mkdtempSync(join(tmpdir(), 'carabiner-read-only-'))
  try {
    for (const folder of ['scripts', 'server/src', 'node_modules'])
      mkdirSync(join(clone, folder), { recursive: true })
    cpSync(RUN, join(clone, 'scripts/run.mjs'))
    writeFileSync(join(clone, 'package-lock.json'), '{}')
    writeFileSync(join(clone, 'server/src/main.ts'), '')
    const installed = hash('sha256', `{}${process.platform}-${process.arch}`)
    writeFileSync(join(clone, 'node_modules/.carabiner-installed'), installed)
    for (const path of [clone, join(clone, 'scripts')]) chmodSync(path, 0o755)
    chmodSync(join(clone, 'node_modules'), 0o555)
    const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'server/src/main.ts'], {
      cwd: clone,
      encoding: 'utf8',
      ...NOBODY,
    })
    assert.equal(status, 1, stderr)
    assert.match(
      stderr,
      /^\S+\.carabiner-building-dashboard cannot be written \(EACCES\)\. Run this command as the owner/,
    )
    assert.doesNotMatch(stderr, /\n {4}at /)
  } finally {
    chmodSync(join(clone, 'node_modules'), 0o755)
    rmSync(clone, { recursive: true })
  }
})
