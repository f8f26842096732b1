import type { Command, Option } from 'commander'

/** What can follow on a command line, for each command. */
export type CompletionNode = {
  /** The words of the command, without the program's name. */
  path: string
  description: string
  commands: { name: string; description: string }[]
  options: { flags: string[]; description: string; takesValue: boolean; choices: string[] }[]
  /** Values of the first argument that has a fixed set. */
  values: string[]
}

const firstSentence = (text: string): string => text.split(/[.:;] /)[0]?.replace(/\.$/, '') ?? ''

const describeOption = (option: Option): CompletionNode['options'][number] => ({
  flags: [option.long, option.short].filter(flag => flag !== undefined),
  description: firstSentence(option.description),
  takesValue: option.required || option.optional,
  choices: option.argChoices ?? [],
})

/** All commands below `command`, with the options that are valid everywhere. */
export const completionTree = (program: Command): CompletionNode[] => {
  const help = { flags: ['--help', '-h'], description: 'print help', takesValue: false, choices: [] }
  const globals = program.options.filter(({ long }) => long !== '--version').map(describeOption)
  const visit = (command: Command, path: string): CompletionNode[] => [
    {
      path,
      description: firstSentence(command.description()),
      commands: [...command.commands].map(each => ({
        name: each.name(),
        description: firstSentence(each.summary() || each.description()),
      })),
      options: [
        ...(command === program
          ? program.options.map(describeOption)
          : [...command.options.map(describeOption), ...globals]),
        help,
      ],
      values: command.registeredArguments.find(({ argChoices }) => argChoices)?.argChoices ?? [],
    },
    ...command.commands.flatMap(each => visit(each, `${path} ${each.name()}`.trim())),
  ]
  return visit(program, '')
}
