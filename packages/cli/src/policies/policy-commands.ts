import { runs } from '../program/cli-context.ts'
import { confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { type ApplyOptions, applyPolicy, showPolicy } from './manage-policies.ts'

export const registerPolicies: RegisterCommands = (program, context) => {
  const policies = nounCommand(program, 'policies', 'organization', 'Policies: which tool calls may run')
  policies
    .command('show')
    .description('Show the rules of a policy, and what applies to other calls')
    .option('--pack <pack>', 'the policy of a Tool Pack (default: of the organization)')
    .examples('carabiner policies show', 'carabiner policies show --pack Support --json')
    .action(runs(context, (options: { pack?: string }) => showPolicy(context, options)))
  policies
    .command('apply')
    .description('Make a policy equal to a JSON file; needs a key with the groups `policies` and `read`')
    .argument('<file>', 'path of the file, with `default` and `rules` as in the API; - reads standard input')
    .option('--pack <pack>', 'the policy of a Tool Pack (default: of the organization)')
    .option('--dry-run', 'show what would change, and change nothing')
    .addOption(confirmedOption())
    .examples('carabiner policies apply policy.json --dry-run', 'carabiner policies apply policy.json --yes')
    .action(runs(context, (file: string, options: ApplyOptions) => applyPolicy(context, file, options)))
}
