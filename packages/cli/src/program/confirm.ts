import { Option } from 'commander'
import { CommandError } from '../terminal/output.ts'
import type { CliContext } from './cli-context.ts'

export type Confirmed = { yes?: boolean }

export const confirmedOption = (): Option => new Option('-y, --yes', 'do not ask for a confirmation')

/** Asks before a change that cannot be undone. */
export const requireConfirmation = async (
  { prompts }: Pick<CliContext, 'prompts'>,
  message: string,
  { yes = false }: Confirmed,
  option = '--yes',
): Promise<void> => {
  if (yes || (await prompts.confirm({ message, option }))) return
  throw new CommandError('Nothing was changed.', 'not_confirmed')
}
