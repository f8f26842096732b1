import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import { findUser } from '../api/find-user.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { list } from '../program/option-values.ts'
import type { Output } from '../terminal/output.ts'
import { type PresentOptions, presentLink, presentOptions } from './present-link.ts'

type LinkOptions = PresentOptions & {
  connector?: string
  pack?: string
  add?: boolean
  label?: string
  tools?: string[]
  scopes?: string[]
  callbackUrl?: string
  state?: string
}

export const TOOLS =
  'request the scopes that these tools of the connector need (default: those of the Tool Pack)'
export const SCOPES = 'request these scopes of the connector'

const createLink = (context: CliContext, user: string, options: LinkOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const { connector, pack, add, label, tools, scopes, callbackUrl, state } = options
    const link = await client.linkTokens.mint(id, {
      ...(connector !== undefined && { connector }),
      ...(pack !== undefined && { tool_pack_id: (await findPack(client, pack)).id }),
      ...(add && { account: 'add' }),
      ...(label !== undefined && { account_label: label }),
      ...(tools !== undefined && { tools }),
      ...(scopes !== undefined && { scopes }),
      ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
      ...(state !== undefined && { state }),
    })
    return presentLink(context, { url: link.magic_link_url, expiresAt: link.expires_at }, link, options)
  })

/** The page where users see, pause and disconnect their own accounts. */
const createConnectionsLink = (context: CliContext, user: string, options: PresentOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const link = await client.registeredUsers.connectionsLink(id)
    return presentLink(context, { url: link.url, expiresAt: link.expires_at }, link, options)
  })

export const registerLink: RegisterCommands = (program, context) => {
  const link = nounCommand(program, 'link', 'everyday', 'Links that users open to connect accounts')
  const withOpen = (name: string, description: string) =>
    presentOptions(
      link
        .command(name)
        .description(description)
        .argument('<user>', 'a Registered User: ID, your own ID, name or email'),
    )
  withOpen('create', 'Create a magic link that a user opens to connect an account')
    .option('--connector <slug>', 'connect this one (default: the user chooses)')
    .option('--pack <pack>', 'Tool Pack whose connectors the user can choose from')
    .option('--add', 'add another account for the connector (default: Link asks)')
    .option('--label <label>', 'label of the account (default: the name of the account)')
    .option('--tools <names>', TOOLS, list)
    .option('--scopes <names>', SCOPES, list)
    .option('--callback-url <url>', 'where the user returns to, with a code')
    .option('--state <text>', 'returned to the callback URL')
    .examples(
      'carabiner link create ana --connector github',
      'carabiner link create ana --connector github --add --label Private',
      'carabiner link create ana --connector slack --tools send_message,read_messages',
      'carabiner link create ana --open',
      'carabiner link create ana --qr',
    )
    .action(runs(context, (user: string, options: LinkOptions) => createLink(context, user, options)))
  withOpen('connections', 'Create a link to a user’s My connections page')
    .examples('carabiner link connections ana --open')
    .action(
      runs(context, (user: string, options: PresentOptions) => createConnectionsLink(context, user, options)),
    )
}
