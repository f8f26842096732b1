import { runs } from '../program/cli-context.ts'
import { confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { integerFrom, jsonObject, limitOption } from '../program/option-values.ts'
import {
  createUser,
  deleteUser,
  listUsers,
  setActive,
  showUser,
  type UserFields,
  updateUser,
} from './manage-users.ts'

const USER = 'a Registered User: ID, your own ID, name or email'

export const registerUsers: RegisterCommands = (program, context) => {
  const users = nounCommand(
    program,
    'users',
    'everyday',
    'Registered Users: the end users of your application',
  )
  users
    .command('list')
    .description('List Registered Users, oldest first')
    .option('--search <text>', 'beginning of a name, an email address or your own ID')
    .addOption(limitOption())
    .examples('carabiner users list', 'carabiner users list --search ana --json | jq .[].id')
    .action(runs(context, (options: { search?: string; limit: number }) => listUsers(context, options)))
  users
    .command('show')
    .description('Show a Registered User and their connected accounts')
    .argument('<user>', USER)
    .examples('carabiner users show ana')
    .action(runs(context, (user: string) => showUser(context, user)))
  const fields = (name: 'create' | 'update', description: string) =>
    users
      .command(name)
      .description(description)
      .argument(
        name === 'create' ? '<own-id>' : '<user>',
        name === 'create' ? 'your own ID of the user' : USER,
      )
      .option('--name <name>', 'shown to the user in Link')
      .option('--email <address>', 'email address')
      .option('--metadata <json>', 'a JSON object of your own', jsonObject)
      .option('--rate-limit <n>', 'tool calls per minute', integerFrom(1, 1_000_000))
  fields('create', 'Create a Registered User, or update the one with this ID in your application')
    .examples('carabiner users create ana --name "Ana Ruiz" --email ana@example.com')
    .action(runs(context, (ownId: string, options: UserFields) => createUser(context, ownId, options)))
  fields('update', 'Change a Registered User')
    .examples('carabiner users update ana --name "Ana Ruiz-Vega"')
    .action(runs(context, (user: string, options: UserFields) => updateUser(context, user, options)))
  users
    .command('deactivate')
    .description('Reject a user’s tool calls and revoke their connected accounts')
    .argument('<user>', USER)
    .addOption(confirmedOption())
    .examples('carabiner users deactivate ana --yes')
    .action(
      runs(context, (user: string, options: { yes?: boolean }) => setActive(context, user, false, options)),
    )
  users
    .command('reactivate')
    .description('Allow a user’s tool calls again')
    .argument('<user>', USER)
    .examples('carabiner users reactivate ana')
    .action(runs(context, (user: string) => setActive(context, user, true, {})))
  users
    .command('delete')
    .description('Delete a user and all of their data. This cannot be undone')
    .argument('<user>', USER)
    .addOption(confirmedOption())
    .examples('carabiner users delete ana --yes')
    .action(runs(context, (user: string, options: { yes?: boolean }) => deleteUser(context, user, options)))
}
