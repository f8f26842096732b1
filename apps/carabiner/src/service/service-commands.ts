import { type RegisterCommands, runs, topCommand } from '@carabiner/cli'
import type { DevOptions } from './dev.ts'

export const registerService: RegisterCommands = (program, context) => {
  topCommand(program, 'start', 'operators', 'Run the service')
    .option('--no-migrate', 'start only if the database schema is up to date')
    .examples(
      'carabiner start                                     # in development, with the embedded database and a sandbox',
      'carabiner start --settings carabiner.env',
    )
    .action(
      runs(context, async () => {
        // The service handles the signals itself.
        context.terminal.handleStop()
        // It reads the arguments of this process, and forks it with the same ones.
        await import('@carabiner/server/main')
        return null
      }),
    )
  topCommand(
    program,
    'dev',
    'operators',
    'Run the service with a sandbox in development, and show its events and webhooks in one log',
  )
    .option('--forward-to <url>', 'also send events to this receiver of your application, as webhooks')
    .option('--types <types>', 'only these event types')
    .examples('carabiner dev', 'carabiner dev --forward-to http://localhost:3000/webhooks')
    .action(runs(context, async (options: DevOptions) => (await import('./dev.ts')).runDev(context, options)))
}
