import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import type { Client, Credential } from '../api/sdk.ts'
import { deleteCredential, renameCredential } from '../credentials/change-credential.ts'
import { describeCredentials } from '../credentials/describe-credential.ts'
import { type AccountOwner, CREDENTIAL, pickCredential } from '../credentials/find-credential.ts'
import {
  type AccessOptions,
  accessOptions,
  shareCredential,
  unshareCredential,
} from '../credentials/share-credential.ts'
import { SCOPES, TOOLS } from '../link/link-commands.ts'
import { type PresentOptions, presentLink, presentOptions } from '../link/present-link.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { list } from '../program/option-values.ts'
import type { Output } from '../terminal/output.ts'

const OWNER: AccountOwner = {
  name: 'The organization',
  listCommand: 'carabiner organization-accounts list',
}

const listAccounts = (context: CliContext): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { data } = await client.organizationAccounts.list()
    const text =
      data.length === 0
        ? 'The organization has no accounts in the mode of this API key.'
        : describeCredentials(context, data)
    return { text, data }
  })

type LinkOptions = PresentOptions & {
  connector?: string
  pack?: string
  label?: string
  tools?: string[]
  scopes?: string[]
}

const createLink = (context: CliContext, options: LinkOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { connector, pack, label, tools, scopes } = options
    const link = await client.organizationAccounts.linkToken({
      ...(connector !== undefined && { connector }),
      ...(pack !== undefined && { tool_pack_id: (await findPack(client, pack)).id }),
      ...(label !== undefined && { account_label: label }),
      ...(tools !== undefined && { tools }),
      ...(scopes !== undefined && { scopes }),
    })
    return presentLink(context, { url: link.magic_link_url, expiresAt: link.expires_at }, link, options)
  })

type Act = (client: Client, credential: Credential) => Promise<Output>

const withAccount = (context: CliContext, given: string, act: Act): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { data } = await client.organizationAccounts.list()
    return act(client, pickCredential(data, given, OWNER))
  })

export const registerOrganizationAccounts: RegisterCommands = (program, context) => {
  const accounts = nounCommand(
    program,
    'organization-accounts',
    'organization',
    'Accounts that belong to no user, and are shared with users or Tool Packs',
  )
  accounts
    .command('list')
    .description('List the accounts of the organization, with their labels')
    .examples('carabiner organization-accounts list')
    .action(runs(context, () => listAccounts(context)))
  presentOptions(
    accounts
      .command('link')
      .description('Create a link that an administrator opens to connect an account for the organization'),
  )
    .option('--connector <slug>', 'connect this one (default: the page asks)')
    .option('--pack <pack>', 'Tool Pack whose connectors the page offers')
    .option('--label <label>', 'label of the account (default: the name of the account)')
    .option('--tools <names>', TOOLS, list)
    .option('--scopes <names>', SCOPES, list)
    .examples('carabiner organization-accounts link --connector github --open')
    .action(runs(context, (options: LinkOptions) => createLink(context, options)))
  const one = (name: string, description: string) =>
    accounts.command(name).description(description).argument('<credential>', CREDENTIAL)
  one('rename', 'Change the label that tool calls use for the account')
    .argument('<label>', 'the new label')
    .examples('carabiner organization-accounts rename github "Support mailbox"')
    .action(
      runs(context, (given: string, label: string) =>
        withAccount(context, given, (client, each) => renameCredential(context, client, each, label)),
      ),
    )
  accessOptions(one('share', 'Let users make calls with an organization account'))
    .examples('carabiner organization-accounts share github --pack Support')
    .action(
      runs(context, (given: string, options: AccessOptions) =>
        withAccount(context, given, (client, each) => shareCredential(context, client, each, options)),
      ),
    )
  accessOptions(one('unshare', 'Stop sharing an account with some users or packs (default: all)'))
    .addOption(confirmedOption())
    .examples('carabiner organization-accounts unshare github --yes')
    .action(
      runs(context, (given: string, options: AccessOptions & Confirmed) =>
        withAccount(context, given, (client, each) => unshareCredential(context, client, each, options)),
      ),
    )
  one('delete', 'Disconnect an account: revoke it at the provider and delete it')
    .addOption(confirmedOption())
    .examples('carabiner organization-accounts delete github --yes')
    .action(
      runs(context, (given: string, options: Confirmed) =>
        withAccount(context, given, (client, each) => deleteCredential(context, client, each, options)),
      ),
    )
}
