import { type CliCommand, type CliContext, PLAIN_SCREEN, pathOf } from '@carabiner/cli'
import { createFullProgram } from '../apps/carabiner/src/create-program.ts'

const refuse = (): never => {
  throw new Error('The reference runs no commands.')
}

/** Enough to build the tree of commands. */
const context: CliContext = {
  environment: {},
  version: '0.0.0',
  terminal: { print: refuse, notice: refuse, handleStop: () => new AbortController().signal },
  screen: PLAIN_SCREEN,
  prompts: { text: refuse, secret: refuse, choose: refuse, confirm: refuse },
  report: refuse,
  writeHelp: refuse,
  globals: {},
  result: null,
}

const INTRODUCTION = `---
title: Command line
order: 40
---

# Command line

\`carabiner\` is in two packages. \`@carabiner/cli\` has the commands that use the API of a running service; it is small and needs
neither the server nor a database. \`carabiner\` adds the commands of operators, which use the database and the settings of the service.

<!-- Generated from the commands by npm run docs:cli. -->

## Signing in

\`\`\`sh
carabiner login                                   # asks for the URL and the API key, and checks them
carabiner login --profile staging --url https://connect.example.com --key-stdin < key.txt
carabiner users list --profile staging
\`\`\`

The key is stored in the keychain of the system (macOS; Linux with \`secret-tool\`), otherwise in \`keys.json\` in the folder
\`$XDG_CONFIG_HOME/carabiner\` (default: \`~/.config/carabiner\`), readable by you only. It is never printed. Without a profile, for example in continuous integration, set
\`CARABINER_API_KEY\` and \`CARABINER_URL\` (default: \`http://localhost:4000\`). \`--profile\` has precedence over these variables, and they have
precedence over \`CARABINER_PROFILE\` and the current profile.

## Output

Results are written to standard output; messages, progress and questions to standard error. With \`--json\`, a result is one JSON document, or one
per line for a stream, and an error is \`{"error": {"code", "message"}}\` on standard error. Tables fit the width of the terminal, and are complete if the output is
not a terminal. Colors are used on a terminal only; \`NO_COLOR\` disables them, and \`FORCE_COLOR\` enables them elsewhere. A command that asks a question
names the option to use without a terminal. Secrets that a command creates are printed once.

| Exit code | Meaning |
|---|---|
| 0 | success |
| 1 | failure: the service rejected the request or cannot be reached, or the result is negative |
| 2 | wrong usage: an unknown command or option, or an invalid value |
| 3 | a tool call is, or would be, rejected; a text would be blocked by a rule |
| 4 | the user must connect an account |
| 5 | a person must approve the tool call |
| 130 | interrupted with Ctrl-C |

## Completion

\`\`\`sh
source <(carabiner completion bash)      # in ~/.bashrc
source <(carabiner completion zsh)       # in ~/.zshrc, after compinit
carabiner completion fish > ~/.config/fish/completions/carabiner.fish
\`\`\`
`

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const rows = (entries: [term: string, description: string][]): string[] =>
  entries.length === 0
    ? []
    : [
        '',
        '| Argument or option | Meaning |',
        '|---|---|',
        ...entries.map(([term, text]) => `| \`${term.replaceAll('|', '\\|')}\` | ${cell(text)} |`),
      ]

const describeOptions = (command: CliCommand): string[] => {
  const help = command.createHelp()
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help')
  const listed = command.registeredArguments.map((each): [string, string] => [
    help.argumentTerm(each),
    help.argumentDescription(each),
  ])
  return rows([
    ...listed,
    ...options.map((each): [string, string] => [help.optionTerm(each), help.optionDescription(each)]),
  ])
}

const describeCommand = (command: CliCommand, depth: number): string[] => {
  const { commands, exampleLines } = command
  const usage = commands.length > 0 ? [] : ['', `Usage: \`${command.createHelp().commandUsage(command)}\``]
  return [
    '',
    `${'#'.repeat(depth)} ${pathOf(command)}`,
    '',
    `${cell(command.description())}.`,
    ...usage,
    ...describeOptions(command),
    ...(exampleLines.length > 0 ? ['', '```sh', ...exampleLines, '```'] : []),
    ...commands.flatMap(each => describeCommand(each as CliCommand, depth + 1)),
  ]
}

/** docs/reference/cli.md */
export const cliReference = (): string => {
  const program = createFullProgram(context)
  const groups = Map.groupBy(program.commands as readonly CliCommand[], each => each.helpGroup() || 'Other:')
  const sections = [...groups].flatMap(([group, commands]) => [
    '',
    `## ${group.replace(/:$/, '')}`,
    ...commands.flatMap(each => describeCommand(each, 3)),
  ])
  const globals = ['', '## Options of every command', ...describeOptions(program)]
  return `${INTRODUCTION}${[...globals, ...sections].join('\n')}\n`
}
