import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import { findUser } from '../api/find-user.ts'
import { mcpUrl } from '../api/sdk.ts'
import { take } from '../api/take.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption, requireConfirmation } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice, collect, integerFrom, limitOption, list } from '../program/option-values.ts'
import { CommandError, type Output, UsageError } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { MCP_CLIENTS } from './mcp-clients.ts'
import { writeConfig } from './write-config.ts'

const USER = 'ID of a Registered User, or your own ID of it'

type ConfigOptions = { client: string; pack?: string; connectors?: string[]; name: string; write?: boolean }

const showConfig = (context: CliContext, user: string, options: ConfigOptions): Promise<Output> => {
  const { client: clientName, pack, connectors, name, write } = options
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new UsageError('--name has letters, digits, "_" and "-" only.')
  const config = MCP_CLIENTS[clientName] as (typeof MCP_CLIENTS)[string]
  if (write && config.projectFile === undefined)
    throw new UsageError(
      `--write is not available for ${clientName}, because its file is not in the project.`,
    )
  return withApi(context, async ({ client, url: baseUrl }) => {
    const { id: toolPackId } = await findPack(client, pack)
    const { id: registeredUserId } = await findUser(client, user)
    const url = mcpUrl({ baseUrl, toolPackId, registeredUserId, connectors })
    const built = config.build(url, name)
    const { place, key, projectFile } = config
    if (write) writeConfig(projectFile as string, built as Record<string, unknown>)
    context.terminal.notice(
      `${config.title}. ${write ? `Written to ${projectFile}.` : `Goes to: ${place}.`}\n${key}\nCreate a key with \`carabiner mcp create-key ${user} --name ${name}\`.\n`,
    )
    const text = typeof built === 'string' ? built : JSON.stringify(built, null, 2)
    return {
      text,
      data: { client: clientName, url, place, config: built, written_to: write ? projectFile : null },
    }
  })
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
      `Revoke the MCP key ${found.hint}? It stops working at once.`,
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
    .description('Print the configuration of an MCP client for the agent of a user, without a secret')
    .argument('<user>', USER)
    .addOption(choice('--client <name>', 'the client', Object.keys(MCP_CLIENTS)).makeOptionMandatory())
    .option('--pack <pack>', 'ID or name of a Tool Pack (default: the default Tool Pack)')
    .option('--connectors <slugs>', 'only the tools of these connectors', list)
    .option('--name <name>', 'name of the server in the client', 'carabiner')
    .option('--write', 'add it to the file of the client in this folder; existing values are kept')
    .examples(
      'carabiner mcp config ana --client claude-code',
      'carabiner mcp config ana --client vscode --write',
    )
    .action(runs(context, (user: string, options: ConfigOptions) => showConfig(context, user, options)))
  mcp
    .command('create-key')
    .description('Create a key for the agent of one user; printed once')
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
