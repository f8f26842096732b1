import { withApi } from '../api/api-client.ts'
import { findUser } from '../api/find-user.ts'
import type { Client, Credential } from '../api/sdk.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { type FailingOutput, type Output, UsageError } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { deleteCredential, renameCredential } from './change-credential.ts'
import { describeCredentials } from './describe-credential.ts'
import { CREDENTIAL, findCredential } from './find-credential.ts'
import { type AccessOptions, accessOptions, shareCredential, unshareCredential } from './share-credential.ts'

const listCredentials = (context: CliContext, user: string): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const data = await client.registeredUsers.credentials.list(id)
    const text =
      data.length === 0 ? 'The user has no connected accounts.' : describeCredentials(context, data)
    return { text, data }
  })

type Act = (client: Client, credential: Credential) => Promise<FailingOutput>

const withCredential = (context: CliContext, user: string, given: string, act: Act): Promise<FailingOutput> =>
  withApi(context, async ({ client }) => act(client, await findCredential(client, user, given)))

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
    .description('List a user’s connected accounts, with their labels')
    .argument('<user>', 'a Registered User: ID, your own ID, name or email')
    .examples('carabiner credentials list ana')
    .action(runs(context, (user: string) => listCredentials(context, user)))
  const one = (name: string, description: string) =>
    credentials
      .command(name)
      .description(description)
      .argument('<user>', 'a Registered User: ID, your own ID, name or email')
      .argument('<credential>', CREDENTIAL)
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
  one('rename', 'Change the label that tool calls use for the account')
    .argument('<label>', 'the new label')
    .examples('carabiner credentials rename ana github Work')
    .action(
      runs(context, (user: string, given: string, label: string) =>
        withCredential(context, user, given, (client, each) =>
          renameCredential(context, client, each, label),
        ),
      ),
    )
  accessOptions(one('share', 'Let other users make calls with a connected account'))
    .examples(
      'carabiner credentials share ana github --user ben --user carla',
      'carabiner credentials share ana github --pack Support',
    )
    .action(
      runs(context, (user: string, given: string, options: AccessOptions) =>
        withCredential(context, user, given, (client, each) =>
          shareCredential(context, client, each, options),
        ),
      ),
    )
  accessOptions(one('unshare', 'Stop sharing a connected account with some users or packs (default: all)'))
    .addOption(confirmedOption())
    .examples(
      'carabiner credentials unshare ana github --user ben',
      'carabiner credentials unshare ana github --yes',
    )
    .action(
      runs(context, (user: string, given: string, options: AccessOptions & Confirmed) =>
        withCredential(context, user, given, (client, each) =>
          unshareCredential(context, client, each, options),
        ),
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
        withCredential(context, user, given, (client, each) =>
          deleteCredential(context, client, each, options),
        ),
      ),
    )
}
