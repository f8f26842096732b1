import { Command } from 'commander'
import { UsageError } from '../terminal/output.ts'

/** Commands are listed in these groups. */
export const GROUPS = {
  everyday: 'Everyday:',
  organization: 'Organization:',
  operators: 'Operators (on the database, with the settings of the service):',
} as const
export type CommandGroup = keyof typeof GROUPS

/** A command of commander whose errors are thrown, with a reference to its own help. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  override error(message: string): never {
    throw new UsageError(`${sentence(message)}\nSee \`${pathOf(this)} --help\`.`)
  }

  /** A group without a subcommand prints its help as a result, not as an error. */
  override help(): never {
    super.help({ error: false })
  }

  /** Commands to copy, shown below the options. */
  exampleLines: readonly string[] = []

  examples(...lines: string[]): this {
    this.exampleLines = lines
    return this.addHelpText('after', `\nExamples:\n${lines.map(line => `  ${line}`).join('\n')}`)
  }
}

export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const sentence = (message: string): string => {
  const text = message
    .replace(/^error: /, '')
    .replace(/\.?\n\(Did you mean (.*)\?\)$/s, '. Did you mean $1?')
    .trim()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}
