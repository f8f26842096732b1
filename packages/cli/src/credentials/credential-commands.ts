import { withApi } from '../api/api-client.ts'
import { findUser, isUuid } from '../api/find-user.ts'
import type { Client, Credential } from '../api/sdk.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption, requireConfirmation } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { CommandError, type FailingOutput, type Output, UsageError } from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

const statusOf = ({ status, paused_until, status_reason }: Credential): string =>
  paused_until
    ? `paused until ${momentOf(paused_until)}`
    : status_reason
      ? `${status} (${status_reason})`
      : status

const describeCredentials = ({ screen }: CliContext, credentials: Credential[]): string =>
  table(
    credentials,
    [
      { title: 'ID', value: each => each.credential_id },
      { title: 'CONNECTOR', value: each => each.connector_slug },
      { title: 'ACCOUNT', value: each => each.account, shrinks: true },
      { title: 'METHOD', value: each => each.method },
      { title: 'STATUS', value: statusOf },
    ],
    screen,
  )

const listCredentials = (context: CliContext, user: string): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const data = await client.registeredUsers.credentials.list(id)
    const text =
      data.length === 0 ? 'The user has no connected accounts.' : describeCredentials(context, data)
    return { text, data }
  })

/** A credential by its ID, or by its connector if the user has one account there. Revoked ones are kept as a history. */
const findCredential = async (client: Client, user: string, given: string): Promise<Credential> => {
  const { id } = await findUser(client, user)
  const credentials = await client.registeredUsers.credentials.list(id)
  const found = credentials.filter(each =>
    isUuid(given)
      ? each.credential_id === given.toLowerCase()
      : each.connector_slug === given && each.status !== 'revoked',
  )
  if (found.length > 1)
    throw new CommandError(`The user has several ${given} accounts. Use the ID of the credential.`)
  if (found[0]) return found[0]
  throw new CommandError(
    `The user has no credential ${given}. See \`carabiner credentials list\`.`,
    'credential_not_found',
  )
}

type Act = (client: Client, credential: Credential) => Promise<FailingOutput>

const withCredential = (context: CliContext, user: string, given: string, act: Act): Promise<FailingOutput> =>
  withApi(context, async ({ client }) => act(client, await findCredential(client, user, given)))

const nameOf = ({ connector_slug, account, credential_id }: Credential): string =>
  printable(`${connector_slug}${account ? ` (${account})` : ''} ${credential_id}`)

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 }

const readDuration = (text: string): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (!count || !unit) throw new UsageError('--for must be a duration such as 30m, 12h or 7d.')
  return Number(count) * SECONDS[unit as keyof typeof SECONDS]
}

export const registerCredentials: RegisterCommands = (program, context) => {
  const credentials = nounCommand(
    program,
    'credentials',
    'everyday',
    'Connected accounts of users, without their secrets',
  )
  credentials
    .command('list')
    .description('List the connected accounts of a user')
    .argument('<user>', 'ID of a Registered User, or your own ID of it')
    .examples('carabiner credentials list ana')
    .action(runs(context, (user: string) => listCredentials(context, user)))
  const one = (name: string, description: string) =>
    credentials
      .command(name)
      .description(description)
      .argument('<user>', 'ID of a Registered User, or your own ID of it')
      .argument('<credential>', 'ID of the credential, or the slug of its connector')
  one('test', 'Check a connected account with a call to the provider. Exit code 1: it does not work')
    .examples('carabiner credentials test ana github')
    .action(
      runs(context, (user: string, given: string) =>
        withCredential(context, user, given, async (client, each) => {
          const tested = await client.registeredUsers.credentials.test(
            each.registered_user_id,
            each.credential_id,
          )
          return { text: printable(tested.message), data: tested, failed: !tested.works }
        }),
      ),
    )
  one('pause', 'Reject the tool calls of a connected account for a while')
    .option('--for <duration>', 'such as 30m, 12h or 7d (default: 1h)')
    .examples('carabiner credentials pause ana github --for 2h')
    .action(
      runs(context, (user: string, given: string, options: { for?: string }) => {
        const body = options.for === undefined ? {} : { seconds: readDuration(options.for) }
        return withCredential(context, user, given, async (client, each) => {
          const { pause } = client.registeredUsers.credentials
          const data = await pause(each.registered_user_id, each.credential_id, body)
          return { text: describeCredentials(context, [data]), data }
        })
      }),
    )
  one('resume', 'End the pause of a connected account')
    .examples('carabiner credentials resume ana github')
    .action(
      runs(context, (user: string, given: string) =>
        withCredential(context, user, given, async (client, each) => {
          const { resume } = client.registeredUsers.credentials
          const data = await resume(each.registered_user_id, each.credential_id)
          return { text: describeCredentials(context, [data]), data }
        }),
      ),
    )
  one('delete', 'Disconnect an account: revoke it at the provider and delete it')
    .addOption(confirmedOption())
    .examples('carabiner credentials delete ana github --yes')
    .action(
      runs(context, (user: string, given: string, options: Confirmed) =>
        withCredential(context, user, given, async (client, each) => {
          await requireConfirmation(context, `Disconnect ${nameOf(each)}?`, options)
          await client.registeredUsers.credentials.delete(each.registered_user_id, each.credential_id)
          return { text: `Disconnected ${nameOf(each)}.`, data: { id: each.credential_id } }
        }),
      ),
    )
}
