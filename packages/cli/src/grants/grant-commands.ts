import { withApi } from '../api/api-client.ts'
import { findUser } from '../api/find-user.ts'
import type { Client, Grant } from '../api/sdk.ts'
import { take } from '../api/take.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption, requireConfirmation } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { limitOption } from '../program/option-values.ts'
import { CommandError, type Output } from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

const USER = 'a Registered User: ID, your own ID, name or email'

const packNames = async (client: Client): Promise<Map<string, string>> =>
  new Map(
    (await take(client.toolPacks.list(), Number.POSITIVE_INFINITY)).map(
      ({ id, name }) => [id, name] as const,
    ),
  )

const describeGrants = (
  { screen }: CliContext,
  grants: readonly Grant[],
  names: Map<string, string>,
): string =>
  table(
    grants,
    [
      { title: 'ID', value: grant => grant.id },
      { title: 'CLIENT', value: grant => grant.client_name, shrinks: true },
      {
        title: 'TOOL PACK',
        value: grant => names.get(grant.tool_pack_id) ?? grant.tool_pack_id,
        shrinks: true,
      },
      { title: 'SIGNED IN', value: grant => momentOf(grant.created_at) },
      { title: 'LAST TOKENS', value: grant => momentOf(grant.last_used_at) },
      { title: 'EXPIRES', value: grant => momentOf(grant.expires_at) },
    ],
    screen,
  )

const listGrants = (context: CliContext, user: string, { limit }: { limit: number }): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const data = await take(client.registeredUsers.grants.list(id), limit)
    if (data.length === 0) return { text: 'The user is signed in with no client.', data }
    return { text: describeGrants(context, data, await packNames(client)), data }
  })

const revokeGrant = (
  context: CliContext,
  user: string,
  grantId: string,
  confirmed: Confirmed,
): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const grants = await take(client.registeredUsers.grants.list(id), Number.POSITIVE_INFINITY)
    const found = grants.find(each => each.id === grantId.toLowerCase())
    if (!found)
      throw new CommandError(
        `The user has no grant ${grantId}. See \`carabiner grants list\`.`,
        'grant_not_found',
      )
    const name = printable(found.client_name)
    await requireConfirmation(context, `Sign out ${name}? Its tokens stop working immediately.`, confirmed)
    await client.registeredUsers.grants.revoke(id, found.id)
    return { text: `Signed out ${name}.`, data: { id: found.id } }
  })

export const registerGrants: RegisterCommands = (program, context) => {
  const grants = nounCommand(program, 'grants', 'everyday', 'MCP clients that users are signed in to')
  grants
    .command('list')
    .description('List the clients that a user is signed in to')
    .argument('<user>', USER)
    .addOption(limitOption())
    .examples('carabiner grants list ana')
    .action(runs(context, (user: string, options: { limit: number }) => listGrants(context, user, options)))
  grants
    .command('revoke')
    .description('Sign a client out; its tokens stop working immediately')
    .argument('<user>', USER)
    .argument('<id>', 'ID of the grant')
    .addOption(confirmedOption())
    .examples('carabiner grants revoke ana 0190a5c1-7b1e-7f00-8000-00000000c0de --yes')
    .action(
      runs(context, (user: string, id: string, options: Confirmed) =>
        revokeGrant(context, user, id, options),
      ),
    )
}
