import { withApi } from '../api/api-client.ts'
import { runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { registerKeys } from './key-commands.ts'

export const registerOrganization: RegisterCommands = (program, context) => {
  registerKeys(program, context)
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
