import { choice, nounCommand, type RegisterCommands, runs } from '@carabiner/cli'
import { roles } from '@carabiner/contract/permissions'
import type { InviteOptions } from './invite-person.ts'

export const registerPeople: RegisterCommands = (program, context) => {
  nounCommand(program, 'people', 'operators', 'People who use the dashboard')
    .command('invite')
    .description('Print a one-time link that signs a person in to the dashboard; also for a lost password')
    .argument('<email>', 'email address of the person')
    .option('--organization <id>', 'as a member of this organization')
    .addOption(choice('--role <role>', 'role in the organization', roles).default('admin'))
    .option('--operator', 'as an operator of this installation, who administers all organizations')
    .option('--name <name>', 'name of the person (default: the part of the address before the @)')
    .examples('carabiner people invite ana@example.com --operator')
    .action(
      runs(context, async (email: string, options: InviteOptions) =>
        (await import('./invite-person.ts')).invitePerson(context, email, options),
      ),
    )
}
