import { choice, type RegisterCommands, runs, topCommand } from '@carabiner/cli'
import type { InitOptions } from './init.ts'
import { TARGETS } from './installation-files.ts'

export const registerInit: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'init',
    'operators',
    'Write the settings and the vault key of an installation; asks for what the options leave out',
  )
    .addOption(choice('--target <where>', 'this machine, a server with Node, or Docker Compose', TARGETS))
    .option('--database <url>', 'PostgreSQL URL, or "embedded"')
    .option('--url <url>', 'address at which browsers and agents reach the service')
    .option('--folder <path>', 'folder to write to', '.')
    .option('--force', 'replace existing files; the vault key is always kept')
    .examples(
      'carabiner init',
      'carabiner init --target local --database embedded --url http://localhost:4000',
      'carabiner init --target compose --database embedded --url https://link.example.com --folder carabiner',
    )
    .action(runs(context, async (options: InitOptions) => (await import('./init.ts')).init(context, options)))
}
