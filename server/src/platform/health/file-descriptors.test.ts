import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type FileDescriptors, watchFileDescriptors } from './file-descriptors.ts'

const record = () => {
  const lines: string[] = []
  const write =
    (level: string) =>
    (_fields: unknown, message = '') =>
      void lines.push(`${level}: ${message}`)
  return { lines, log: { warn: write('warn'), error: write('error') } as never }
}

describe('file descriptors', () => {
  it('a low limit is reported at the start, and nearly used up ones once each time', () => {
    const { lines, log } = record()
    let found: FileDescriptors | null = { open: 40, max: 96 }
    const { check, stop } = watchFileDescriptors({ log, read: () => found })
    stop()
    assert.match(lines.join(), /^warn: this process may open only 96 files.*LimitNOFILE/)
    for (const open of [40, 90, 96, 80, 95, 30, 90]) {
      found = { open, max: 96 }
      check()
    }
    found = null
    check()
    assert.deepEqual(
      lines.slice(1).map(line => line.slice(0, 20)),
      ['error: 90 of 96 files', 'error: 90 of 96 files'].map(line => line.slice(0, 20)),
    )
  })

  it('a process that has used them all up reports it', { skip: process.platform !== 'linux' }, () => {
    const module = join(import.meta.dirname, 'file-descriptors.ts')
    const program = `
      import { openSync } from 'node:fs'
      const { readFileDescriptors } = await import(${JSON.stringify(module)})
      const { max } = readFileDescriptors()
      try { for (;;) openSync('/dev/null') } catch (error) { process.stdout.write(error.code + ' ') }
      process.stdout.write(String(readFileDescriptors().open === max))`
    const command = `ulimit -n 96 && exec "$0" --input-type=module -e "$1"`
    assert.equal(
      execFileSync('sh', ['-c', command, process.execPath, program], { encoding: 'utf8' }),
      'EMFILE true',
    )
  })
})
