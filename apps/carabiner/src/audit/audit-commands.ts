import { integerFrom, limitOption, nounCommand, type RegisterCommands, runs } from '@carabiner/cli'
import type { VerifyOptions } from './verify-audit.ts'

export const registerAuditTrail: RegisterCommands = (program, context) => {
  const audit = nounCommand(program, 'audit', 'organization', '')
  audit
    .command('verify')
    .description(
      'On the database: check every chain from its first entry to its sealed end. Exit code 1: an entry was changed or removed',
    )
    .option('--organization <id>', 'this organization only')
    .option('--from <n>', 'start at this entry', integerFrom(1, Number.MAX_SAFE_INTEGER))
    .option('--expect <n:hash>', 'check that this entry is the one that a previous run printed')
    .option('--no-key', 'do not check the seals, for a copy of the database without its vault key')
    .examples(
      'carabiner audit verify',
      'carabiner audit verify --organization 0190a5c1-7b1e-7f00-8000-00000000c0de',
    )
    .action(
      runs(context, async (options: VerifyOptions) =>
        (await import('./verify-audit.ts')).verifyAudit(context, options),
      ),
    )
  audit
    .command('list-all')
    .description('On the database: list the latest entries of all organizations and of the service itself')
    .option('--organization <id>', 'this organization only')
    .addOption(limitOption(50))
    .examples('carabiner audit list-all --limit 100')
    .action(
      runs(context, async (options: { organization?: string; limit: number }) =>
        (await import('./verify-audit.ts')).listAllEntries(context, options),
      ),
    )
}
