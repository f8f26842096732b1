export { openApi } from './api/api-client.ts'
export { type CliCommand, pathOf } from './program/cli-command.ts'
export { type CliContext, type Environment, runs } from './program/cli-context.ts'
export { type Confirmed, confirmedOption, requireConfirmation } from './program/confirm.ts'
export { nounCommand, type RegisterCommands, topCommand } from './program/create-program.ts'
export {
  choice,
  collect,
  integerFrom,
  jsonObject,
  limitOption,
  list,
  moment,
  uuid,
} from './program/option-values.ts'
export { type BuildProgram, runCommand, runProcess } from './program/run-program.ts'
export { readVersion } from './read-version.ts'
export { createProgram } from './register-commands.ts'
export { CommandError, type FailingOutput, Interrupted, type Output, UsageError } from './terminal/output.ts'
export { printable } from './terminal/printable.ts'
export { createProgressReporter, type ProgressReporter } from './terminal/progress-reporter.ts'
export { openPrompts, type Prompts } from './terminal/prompts.ts'
export { openScreen, PLAIN_SCREEN, type Screen } from './terminal/screen.ts'
export { details, table } from './terminal/table.ts'
export { openTerminal, type Terminal } from './terminal/terminal.ts'

/** Loaded on demand, because the event types come with all schemas of the API. */
export const loadListening = () => import('./events/listening.ts')
