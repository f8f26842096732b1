import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestContext } from '../../test/command-context.ts'
import { createProgram } from '../register-commands.ts'
import { PLAIN_SCREEN } from '../terminal/screen.ts'
import type { CliCommand } from './cli-command.ts'

const withCommands = (command: CliCommand): CliCommand[] => [
  command,
  ...command.commands.flatMap(each => withCommands(each as CliCommand)),
]

/** Lines of help. Examples stay on one line, so that they can be copied. Usage is one line, too. */
const helpLines = (command: CliCommand): string[] => {
  let text = ''
  command.configureOutput({ writeOut: part => void (text += part) })
  command.outputHelp()
  return text.replace(/\nExamples:\n(?: {2}.+\n?)+/, '\n').split('\n')
}

describe('help', () => {
  for (const width of [60, 80])
    it(`fits a terminal of ${width} columns`, () => {
      const context = createTestContext({}, { screen: { ...PLAIN_SCREEN, width } })
      const long = withCommands(createProgram(context)).flatMap(command =>
        helpLines(command).filter(line => line.length > width && !line.startsWith('Usage: ')),
      )
      assert.deepEqual(long, [])
    })
})
