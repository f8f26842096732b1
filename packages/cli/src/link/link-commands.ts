import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import { findUser } from '../api/find-user.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { openBrowser } from './open-browser.ts'
import { qrText } from './qr-text.ts'

type LinkOptions = {
  connector?: string
  pack?: string
  callbackUrl?: string
  state?: string
  open?: boolean
  qr?: boolean
}

const createLink = (context: CliContext, user: string, options: LinkOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const { connector, pack, callbackUrl, state } = options
    const link = await client.linkTokens.mint(id, {
      ...(connector !== undefined && { connector }),
      ...(pack !== undefined && { tool_pack_id: (await findPack(client, pack)).id }),
      ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
      ...(state !== undefined && { state }),
    })
    return present(context, link.magic_link_url, link.expires_at, link, options)
  })

/** The page where users see, pause and disconnect their own accounts. */
const createConnectionsLink = (context: CliContext, user: string, options: LinkOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const link = await client.registeredUsers.connectionsLink(id)
    return present(context, link.url, link.expires_at, link, options)
  })

const present = async (
  { screen, terminal, environment, globals }: CliContext,
  url: string,
  expiresAt: string,
  data: unknown,
  { open, qr }: LinkOptions,
): Promise<Output> => {
  if (!globals.json) terminal.notice(`Valid until ${momentOf(expiresAt)}.`)
  if (open && !(await openBrowser(url, environment)))
    terminal.notice('No browser was found on this machine. Open the link yourself.')
  const code = qr ? qrText(url, screen) : null
  return { text: code === null ? url : `${code}\n\n${url}`, data }
}

export const registerLink: RegisterCommands = (program, context) => {
  const link = nounCommand(program, 'link', 'everyday', 'Links with which users connect their accounts')
  const withOpen = (name: string, description: string) =>
    link
      .command(name)
      .description(description)
      .argument('<user>', 'ID of a Registered User, or your own ID of it')
      .option('--open', 'open the link in the browser of this machine')
      .option('--qr', 'print the link as a QR code too')
  withOpen('create', 'Create a magic link, with which a user connects an account')
    .option('--connector <slug>', 'connect this one (default: the user chooses)')
    .option('--pack <pack>', 'Tool Pack whose connectors the user can choose from')
    .option('--callback-url <url>', 'where the user returns to, with a code')
    .option('--state <text>', 'returned to the callback URL')
    .examples(
      'carabiner link create ana --connector github',
      'carabiner link create ana --open',
      'carabiner link create ana --qr',
    )
    .action(runs(context, (user: string, options: LinkOptions) => createLink(context, user, options)))
  withOpen('connections', 'Create a link to the page My connections of a user')
    .examples('carabiner link connections ana --open')
    .action(
      runs(context, (user: string, options: LinkOptions) => createConnectionsLink(context, user, options)),
    )
}
