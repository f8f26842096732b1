import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathOf } from '@carabiner/cli'
import { createTestContext } from '../../../packages/cli/test/command-context.ts'
import { cliReference } from '../../../scripts/cli-reference.ts'
import { firstCommand, leavesOf, parseCommand } from '../test/parse-command.ts'
import { createFullProgram } from './create-program.ts'

describe('the tree of commands', () => {
  const program = createFullProgram(createTestContext({}))
  const leaves = leavesOf(program)

  it('every command has a description, a group and examples', () => {
    assert.ok(leaves.length > 80, String(leaves.length))
    for (const leaf of leaves) {
      assert.match(leaf.description(), /^[A-Z]/, pathOf(leaf))
      assert.ok(leaf.exampleLines.length > 0, `${pathOf(leaf)} has no examples`)
      for (const option of leaf.options) assert.ok(option.description, `${pathOf(leaf)} ${option.flags}`)
    }
  })

  it('every example is accepted by the parser, and runs the command that it belongs to', async () => {
    for (const leaf of leaves)
      for (const line of leaf.exampleLines) {
        const source = /^source <\((.*?)\)/.exec(line)
        const [name, ...words] = firstCommand(source?.[1] ?? line)
        assert.equal(name, 'carabiner', line)
        assert.equal(await parseCommand(words), pathOf(leaf), line)
      }
  })

  it('no command repeats an option of every command', () => {
    const globals = program.options.map(({ long }) => long)
    for (const leaf of leaves)
      for (const { long } of leaf.options) assert.ok(!globals.includes(long), `${pathOf(leaf)} ${long}`)
  })

  it('both packages have the command `carabiner`, and where both are installed it is the full program', () => {
    for (const name of ['packages/cli', 'apps/carabiner']) {
      const bin = join(import.meta.dirname, '../../..', name, 'bin/carabiner.mjs')
      const { status, stdout } = spawnSync(process.execPath, [bin, 'help', 'org'], { encoding: 'utf8' })
      assert.equal(status, 0, name)
      assert.match(stdout, /Usage: carabiner org/, name)
    }
  })

  it('docs/reference/cli.md equals the generated page', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/cli.md'), 'utf8')
    assert.ok(page === cliReference(), 'run npm run docs:cli')
  })
})
