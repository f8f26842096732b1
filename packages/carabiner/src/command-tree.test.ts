import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type CliCommand, pathOf } from '@carabiner/cli'
import { cliReference } from '../../../scripts/cli-reference.ts'
import { createTestContext } from '../../cli/test/command-context.ts'
import { createFullProgram } from './create-program.ts'

const leavesOf = (command: CliCommand): CliCommand[] =>
  command.commands.length === 0
    ? [command]
    : (command.commands as readonly CliCommand[]).flatMap(each => leavesOf(each))

/** The words of the first command of a line, up to a pipe, a redirection or a comment. */
const wordsOf = (line: string): string[] => {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const end = words.findIndex(word => /^([|<>#]|\|\|)/.test(word))
  const command = words.slice(0, end === -1 ? undefined : end)
  return command.slice(command.findIndex(word => !/^[A-Z_]+=/.test(word)))
}

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
        const [name, ...words] = wordsOf(source?.[1] ?? line)
        assert.equal(name, 'carabiner', line)
        const parsed = createFullProgram(createTestContext({ CARABINER_SETTINGS: '/dev/null' }))
        let called = ''
        for (const each of leavesOf(parsed)) each.action(() => void (called = pathOf(each)))
        const settings = words.indexOf('--settings')
        if (settings !== -1) words[settings + 1] = '/dev/null'
        await parsed.parseAsync(words, { from: 'user' })
        assert.equal(called, pathOf(leaf), line)
      }
  })

  it('no command repeats an option of every command', () => {
    const globals = program.options.map(({ long }) => long)
    for (const leaf of leaves)
      for (const { long } of leaf.options) assert.ok(!globals.includes(long), `${pathOf(leaf)} ${long}`)
  })

  it('docs/reference/cli.md equals the generated page', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/cli.md'), 'utf8')
    assert.ok(page === cliReference(), 'run npm run docs:cli')
  })
})
