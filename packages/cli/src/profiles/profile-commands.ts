import { readFileSync } from 'node:fs'
import { runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands, topCommand } from '../program/create-program.ts'
import { choice } from '../program/option-values.ts'
import { type LoginOptions, login } from './login.ts'
import { listProfiles, logout, selectProfile, whoami } from './manage-profiles.ts'

export const registerProfiles: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'login',
    'everyday',
    'Check an API key against the service, and store both as a profile',
  )
    .option('--url <url>', 'URL of the service (default: CARABINER_URL, or asked for)')
    .option('--key-stdin', 'read the key from standard input')
    .addOption(choice('--key-store <where>', 'where the key is stored', ['keychain', 'file']))
    .examples(
      'carabiner login',
      'carabiner login --profile staging --url https://connect.example.com',
      'carabiner login --url https://connect.example.com --key-stdin < key.txt',
    )
    .action(runs(context, (options: LoginOptions) => login(context, options, () => readFileSync(0, 'utf8'))))
  topCommand(program, 'logout', 'everyday', 'Remove a profile and its key from this machine')
    .examples('carabiner logout', 'carabiner logout --profile staging')
    .action(runs(context, () => logout(context)))
  topCommand(
    program,
    'whoami',
    'everyday',
    'Print the service, the organization and the mode that commands use',
  )
    .examples('carabiner whoami', 'carabiner whoami --profile staging --json')
    .action(runs(context, () => whoami(context)))
  const profiles = nounCommand(program, 'profiles', 'everyday', 'Stored services and organizations')
  profiles
    .command('list')
    .description('List the profiles; * marks the current one')
    .examples('carabiner profiles list')
    .action(runs(context, () => listProfiles(context)))
  profiles
    .command('use')
    .description('Make a profile the current one')
    .argument('<name>', 'name of the profile')
    .examples('carabiner profiles use staging')
    .action(runs(context, (name: string) => selectProfile(context, name)))
}
