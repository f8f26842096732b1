import { collect, type RegisterCommands, runs, topCommand } from '@carabiner/cli'
import type { DoctorOptions } from './doctor.ts'

const OUTBOUND = 'also call this URL, as the service would; may be repeated'

export const registerDoctor: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'doctor',
    'operators',
    'Check settings, database, keys, clock, disk, TLS, DNS and network. Exit code 1: there are problems',
  )
    .option('--outbound <url>', OUTBOUND, collect)
    .option('--before-start', 'skip the addresses of the service, because it is not running yet')
    .examples(
      'carabiner doctor',
      'carabiner doctor --before-start',
      'carabiner doctor --outbound https://api.github.com',
    )
    .action(
      runs(context, async (options: DoctorOptions) =>
        (await import('./doctor.ts')).runDoctor(context, options),
      ),
    )
  topCommand(
    program,
    'support-bundle',
    'operators',
    'Write a description of this installation for support, without secrets',
  )
    .option('--to <file>', 'the file to write', 'carabiner-support.json')
    .option('--outbound <url>', OUTBOUND, collect)
    .examples('carabiner support-bundle --to /tmp/bundle.json')
    .action(
      runs(context, async (options: DoctorOptions & { to: string }) =>
        (await import('./doctor.ts')).runSupportBundle(context, options),
      ),
    )
}
