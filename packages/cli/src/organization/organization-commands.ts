import { withApi } from '../api/api-client.ts'
import { runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { createKey, listKeys, regenerateKey, revokeKey } from './manage-keys.ts'

export const registerOrganization: RegisterCommands = (program, context) => {
  const keys = nounCommand(
    program,
    'keys',
    'organization',
    'API keys of the organization; need the production key',
  )
  keys
    .command('list')
    .description('List API keys, without the keys themselves')
    .examples('carabiner keys list')
    .action(runs(context, () => listKeys(context)))
  keys
    .command('create')
    .description('Create a test key; printed once')
    .option('--name <name>', 'name of the key')
    .examples('carabiner keys create --name "Continuous integration"')
    .action(runs(context, (options: { name?: string }) => createKey(context, options)))
  keys
    .command('regenerate')
    .description('Replace a key; the new one is printed once, and the old one stops working at once')
    .argument('[id]', 'ID of the key (default: the production key)')
    .addOption(confirmedOption())
    .examples('carabiner keys regenerate --yes')
    .action(
      runs(context, (id: string | undefined, options: Confirmed) => regenerateKey(context, id, options)),
    )
  keys
    .command('revoke')
    .description('Revoke a test key')
    .argument('<id>', 'ID of the key')
    .addOption(confirmedOption())
    .examples('carabiner keys revoke 0190a5c1-7b1e-7f00-8000-00000000c0de --yes')
    .action(runs(context, (id: string, options: Confirmed) => revokeKey(context, id, options)))
  registerOrigins(program, context)
}

const registerOrigins: RegisterCommands = (program, context) => {
  const origins = nounCommand(
    program,
    'origins',
    'organization',
    'Origins that may embed Link and receive callbacks; need the production key',
  )
  origins
    .command('list')
    .description('List the allowed origins')
    .examples('carabiner origins list')
    .action(
      runs(context, () =>
        withApi(context, async ({ client }) => {
          const data = await client.callbackOrigins.list()
          const columns = [
            { title: 'ORIGIN', value: (each: (typeof data)[number]) => each.origin },
            { title: 'CREATED', value: (each: (typeof data)[number]) => momentOf(each.created_at) },
          ]
          const text = data.length === 0 ? 'There are no origins yet.' : table(data, columns, context.screen)
          return { text, data }
        }),
      ),
    )
  origins
    .command('add')
    .description('Allow an origin')
    .argument('<origin>', 'such as https://app.example.com')
    .examples('carabiner origins add https://app.example.com')
    .action(
      runs(context, (origin: string) =>
        withApi(context, async ({ client }) => {
          const data = await client.callbackOrigins.add(origin)
          return { text: `Allowed ${data.origin}.`, data }
        }),
      ),
    )
  origins
    .command('remove')
    .description('Remove an origin')
    .argument('<origin>', 'as listed')
    .examples('carabiner origins remove https://app.example.com')
    .action(
      runs(context, (origin: string) =>
        withApi(context, async ({ client }) => {
          await client.callbackOrigins.remove(origin)
          return { text: `Removed ${origin}.`, data: { origin } }
        }),
      ),
    )
}
