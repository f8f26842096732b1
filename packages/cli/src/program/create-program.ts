import { Help } from 'commander'
import { CliCommand, type CommandGroup, GROUPS } from './cli-command.ts'
import type { CliContext, GlobalOptions } from './cli-context.ts'

export type RegisterCommands = (program: CliCommand, context: CliContext) => void

const DESCRIPTION =
  "Carabiner's command line. Commands use the API of a running service, with the profile that `carabiner login` has stored, or with CARABINER_API_KEY and CARABINER_URL."

const EXIT_CODES =
  'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 a tool call is rejected, 4 the user must connect an account, 5 a person must approve the call, 130 interrupted. Results are written to standard output, everything else to standard error.'

const MIN_HELP_WIDTH = 60
const MAX_HELP_WIDTH = 100

const helpWidth = ({ screen }: CliContext): number =>
  Math.max(MIN_HELP_WIDTH, Math.min(screen.width, MAX_HELP_WIDTH))

/** Text after the help of a command, in its width. */
export const wrap = (context: CliContext, text: string): string =>
  new Help().boxWrap(text, helpWidth(context))

/** Of a description beside its term. A narrower one is below it. */
const MIN_DESCRIPTION_WIDTH = 40
const MARGIN = 4
const INDENT = 6

const formatItem = (term: string, termWidth: number, description: string, help: Help): string => {
  const width = help.helpWidth ?? MAX_HELP_WIDTH
  if (description === '' || width - termWidth - MARGIN >= MIN_DESCRIPTION_WIDTH)
    return Help.prototype.formatItem.call(help, term, termWidth, description, help)
  const below = help.boxWrap(description, width - INDENT).replaceAll(/^/gm, ' '.repeat(INDENT))
  return `  ${help.boxWrap(term, width - 2)}\n${below}`
}

/** The tree of commands, without those of any feature. */
export const createRoot = (context: CliContext): CliCommand => {
  const program = new CliCommand('carabiner')
  program
    .description(DESCRIPTION)
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--json', 'print JSON: one document, or one per line for a stream')
    .option('--profile <name>', 'use this profile (default: CARABINER_PROFILE, or the current profile)')
    .option('--verbose', 'print the requests to the service on standard error, without secrets')
    .addHelpText('after', () => `\n${wrap(context, EXIT_CODES)}`)
    .exitOverride()
    .configureOutput({
      writeOut: text => context.writeHelp(text),
      getOutHelpWidth: () => helpWidth(context),
      getOutHasColors: () => true,
    })
    .showSuggestionAfterError()
    .configureHelp({ styleTitle: title => context.screen.paint('bold', title), formatItem })
    .hook('preAction', (_program, command) => {
      context.globals = command.optsWithGlobals<GlobalOptions>()
    })
  return program
}

/** A command of its own in the list of `carabiner --help`. */
export const topCommand = (
  program: CliCommand,
  nameAndArguments: string,
  group: CommandGroup,
  description: string,
): CliCommand => program.command(nameAndArguments).description(description).helpGroup(GROUPS[group])

/** A noun whose commands are verbs. Another package may add verbs to the same noun. */
export const nounCommand = (
  program: CliCommand,
  name: string,
  group: CommandGroup,
  description: string,
): CliCommand =>
  (program.commands.find(command => command.name() === name) as CliCommand | undefined) ??
  topCommand(program, name, group, description).helpCommand(false)
