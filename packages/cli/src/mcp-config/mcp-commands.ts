import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import { findUser } from '../api/find-user.ts'
import { type Client, mcpUrl } from '../api/sdk.ts'
import { take } from '../api/take.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption, requireConfirmation } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice, collect, integerFrom, limitOption, list } from '../program/option-values.ts'
import { CommandError, type Output, UsageError } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { type ClientConfig, type ConfiguredServer, MCP_CLIENTS } from './mcp-clients.ts'
import { writeConfig } from './write-config.ts'

const USER = 'a Registered User: ID, your own ID, name or email'

type ConfigOptions = {
  client: string
  pack?: string
  connectors?: string[]
  name: string
  signIn?: boolean
  write?: boolean
}

const showConfig = (
  context: CliContext,
  user: string | undefined,
  options: ConfigOptions,
): Promise<Output> => {
  const { client: clientName, name, write } = options
  requireConsistent(user, options)
  const config = MCP_CLIENTS[clientName] as ClientConfig
  return withApi(context, async ({ client, url: baseUrl }) => {
    const server = { name, signsIn: user === undefined, url: await serverUrl(client, baseUrl, user, options) }
    const { place, text, built, hint } = describe(config, server)
    if (write) writeConfig(config.projectFile as string, built as Record<string, unknown>)
    const target = write ? `Written to ${config.projectFile}.` : `Goes to: ${place}.`
    const next =
      user === undefined ? '' : `\nCreate a key with \`carabiner mcp create-key ${user} --name ${name}\`.`
    context.terminal.notice(`${config.title}. ${target}\n${hint}${next}\n`)
    return {
      text,
      data: {
        client: clientName,
        url: server.url,
        place,
        config: built,
        written_to: write ? config.projectFile : null,
      },
    }
  })
}

const requireConsistent = (
  user: string | undefined,
  { client, name, connectors, signIn, write }: ConfigOptions,
): void => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new UsageError('--name can contain only letters, digits, "_" and "-".')
  if ((user === undefined) !== (signIn === true))
    throw new UsageError('Use either <user>, whose agent gets a key, or --sign-in.')
  if (signIn && connectors) throw new UsageError('--connectors is not available with --sign-in. Use --pack.')
  if (write && MCP_CLIENTS[client]?.projectFile === undefined)
    throw new UsageError(`--write is not available for ${client}, because its file is not in the project.`)
}

const serverUrl = async (
  client: Client,
  baseUrl: string,
  user: string | undefined,
  { pack, connectors }: ConfigOptions,
): Promise<string> => {
  const { id: toolPackId, handle } = await findPack(client, pack)
  if (user === undefined) return `${baseUrl}/mcp/${handle}`
  const { id: registeredUserId } = await findUser(client, user)
  return mcpUrl({ baseUrl, toolPackId, registeredUserId, connectors })
}

const describe = ({ place, key, signInPage, build }: ClientConfig, server: ConfiguredServer) => {
  const usesPage = server.signsIn && signInPage !== undefined
  const built = usesPage ? server.url : build(server)
  return {
    place: usesPage ? signInPage : place,
    built,
    text: typeof built === 'string' ? built : JSON.stringify(built, null, 2),
    hint: server.signsIn ? 'The client opens a browser, in which its user signs in.' : key,
  }
}

type KeyOptions = { name: string; pack?: string[]; days: number }

const createMcpKey = (context: CliContext, user: string, { name, pack, days }: KeyOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const packs = pack && (await Promise.all(pack.map(each => findPack(client, each))))
    const created = await client.registeredUsers.mcpKeys.create(id, {
      name,
      expires_in_days: days,
      ...(packs && { tool_pack_ids: packs.map(each => each.id) }),
    })
    return {
      text: `${created.key}\n\nThe key is shown only once. It expires at ${momentOf(created.expires_at)}.`,
      data: created,
    }
  })

const listMcpKeys = (context: CliContext, user: string, { limit }: { limit: number }): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const keys = await take(client.registeredUsers.mcpKeys.list(id), limit)
    return {
      text:
        keys.length === 0
          ? 'The user has no MCP keys.'
          : table(
              keys,
              [
                { title: 'ID', value: key => key.id },
                { title: 'KEY', value: key => key.hint },
                { title: 'NAME', value: key => key.name, shrinks: true },
                { title: 'EXPIRES', value: key => momentOf(key.expires_at) },
                { title: 'LAST USED', value: key => momentOf(key.last_used_at) },
              ],
              context.screen,
            ),
      data: keys,
    }
  })

const revokeMcpKey = (
  context: CliContext,
  user: string,
  key: string,
  confirmed: Confirmed,
): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const keys = await take(client.registeredUsers.mcpKeys.list(id), Number.POSITIVE_INFINITY)
    const found = keys.find(each => each.id === key)
    if (!found) throw new CommandError(`The user has no MCP key ${key}.`, 'mcp_key_not_found')
    await requireConfirmation(
      context,
      `Revoke the MCP key ${found.hint}? It stops working immediately.`,
      confirmed,
    )
    await client.registeredUsers.mcpKeys.revoke(id, found.id)
    return { text: `Revoked the MCP key ${found.hint}.`, data: { id: found.id } }
  })

export const registerMcp: RegisterCommands = (program, context) => {
  const mcp = nounCommand(
    program,
    'mcp',
    'everyday',
    'Connect MCP clients: configurations and keys for agents',
  )
  mcp
    .command('config')
    .description(
      'Print the configuration of an MCP client, without a secret: for the agent of a user, or with sign-in',
    )
    .argument('[user]', USER)
    .addOption(choice('--client <name>', 'the client', Object.keys(MCP_CLIENTS)).makeOptionMandatory())
    .option('--pack <pack>', 'ID or name of a Tool Pack (default: the default Tool Pack)')
    .option('--connectors <slugs>', 'only the tools of these connectors', list)
    .option('--sign-in', 'the person who uses the client signs in, instead of a key of one user')
    .option('--name <name>', 'name of the server in the client', 'carabiner')
    .option('--write', 'add it to the file of the client in this folder; existing values are kept')
    .examples(
      'carabiner mcp config ana --client claude-code',
      'carabiner mcp config ana --client vscode --write',
      'carabiner mcp config --sign-in --client cursor',
    )
    .action(
      runs(context, (user: string | undefined, options: ConfigOptions) => showConfig(context, user, options)),
    )
  mcp
    .command('create-key')
    .description('Create a key for one user’s agent; printed once')
    .argument('<user>', USER)
    .requiredOption('--name <name>', 'name of the key')
    .option('--pack <pack>', 'only for this Tool Pack; may be repeated (default: all)', collect)
    .option('--days <n>', 'days until it expires', integerFrom(1, 365), 30)
    .examples('carabiner mcp create-key ana --name laptop --days 90')
    .action(runs(context, (user: string, options: KeyOptions) => createMcpKey(context, user, options)))
  mcp
    .command('list-keys')
    .description('List the keys of a user’s agents, without the keys themselves')
    .argument('<user>', USER)
    .addOption(limitOption())
    .examples('carabiner mcp list-keys ana')
    .action(runs(context, (user: string, options: { limit: number }) => listMcpKeys(context, user, options)))
  mcp
    .command('revoke-key')
    .description('Revoke a key; its open streams are closed')
    .argument('<user>', USER)
    .argument('<id>', 'ID of the key')
    .addOption(confirmedOption())
    .examples('carabiner mcp revoke-key ana 0190a5c1-7b1e-7f00-8000-00000000c0de --yes')
    .action(
      runs(context, (user: string, id: string, options: Confirmed) =>
        revokeMcpKey(context, user, id, options),
      ),
    )
}
