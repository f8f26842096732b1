import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import type { Client, ToolPack, ToolPackPatch } from '../api/sdk.ts'
import { pageSize, take } from '../api/take.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { readJsonFile } from '../program/option-values.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { details, table } from '../terminal/table.ts'

/** Options that are not named here are settings of the API, in camel case. */
export type PackFields = {
  connectors?: string[]
  allConnectors?: boolean
  tools?: string[]
  default?: boolean
  file?: string
  dailyCallLimit?: number | 'none'
  [setting: string]: unknown
}

const connectorsOf = ({ connectors }: ToolPack): string =>
  connectors === null ? 'all' : connectors.map(({ slug }) => slug).join(', ') || 'none'

export const listPacks = (context: CliContext, { limit }: { limit: number }): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const packs = await take(client.toolPacks.list({ limit: pageSize(limit) }), limit)
    return {
      text: table(
        packs,
        [
          { title: 'ID', value: pack => pack.id },
          { title: 'NAME', value: pack => pack.name, shrinks: true },
          { title: 'DEFAULT', value: pack => (pack.is_default ? 'yes' : '') },
          { title: 'CONNECTORS', value: connectorsOf, shrinks: true },
        ],
        context.screen,
      ),
      data: packs,
    }
  })

const describePack = ({ screen }: CliContext, pack: ToolPack): string =>
  details(
    [
      ['ID', pack.id],
      ['Name', pack.name],
      ['Default', pack.is_default ? 'yes' : 'no'],
      ['Connectors', connectorsOf(pack)],
      ['Result limit', `${pack.result_limit} characters`],
      ['Daily call limit', pack.daily_call_limit === null ? 'none' : String(pack.daily_call_limit)],
      ['Result handles', pack.result_handles ? 'on' : 'off'],
      ['explain_access', pack.explain_access ? 'on' : 'off'],
      ['Renewal notices', pack.renewal_notices ? 'on' : 'off'],
      ['Tasks', pack.tasks ? 'on' : 'off'],
      ['Served as', pack.serving],
      ['Favorites', pack.favorites.join(', ') || 'none'],
      ['Updated', momentOf(pack.updated_at)],
    ],
    screen,
  )

const shown = (context: CliContext, pack: ToolPack): Output => ({
  text: describePack(context, pack),
  data: pack,
})

export const showPack = (context: CliContext, pack: string): Promise<Output> =>
  withApi(context, async ({ client }) => shown(context, await findPack(client, pack)))

/** `--tools notes__list,notes__get` selects single tools of a connector; other connectors have all of theirs. */
const selectionOf = (connectors: string[] | undefined, tools: string[] | undefined) => {
  if (!connectors && !tools) return undefined
  const bySlug = Map.groupBy(tools ?? [], name => name.split('__')[0] as string)
  const wrong = tools?.find(name => !/^.+__.+$/.test(name))
  if (wrong !== undefined)
    throw new UsageError(`--tools: "${wrong}" is not a tool such as github__list_issues.`)
  return [
    ...(connectors ?? []).filter(slug => !bySlug.has(slug)),
    ...[...bySlug].map(([slug, names]) => ({
      slug,
      tools: names.map(name => name.slice(slug.length + 2)),
    })),
  ]
}

const bodyOf = (fields: PackFields): ToolPackPatch => {
  const { connectors, allConnectors, tools, default: isDefault, file, ...settings } = fields
  const selection = selectionOf(connectors, tools)
  if (allConnectors && selection)
    throw new UsageError('--all-connectors cannot be combined with --connectors or --tools.')
  return {
    ...(file !== undefined && readJsonFile(file)),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [snakeCase(name), value])),
    ...(selection && { connectors: selection }),
    ...(allConnectors && { connectors: null }),
    ...(isDefault && { is_default: true }),
    ...(settings.dailyCallLimit === 'none' && { daily_call_limit: null }),
  }
}

const snakeCase = (option: string): string => option.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

export const createPack = (context: CliContext, name: string, fields: PackFields): Promise<Output> => {
  // Null stands for the value of a new pack.
  const given = Object.entries(bodyOf(fields)).filter(([, value]) => value !== null)
  const body = { ...Object.fromEntries(given), name }
  return withApi(context, async ({ client }) => shown(context, await client.toolPacks.create(body)))
}

export const updatePack = (context: CliContext, pack: string, fields: PackFields): Promise<Output> => {
  const body = bodyOf(fields)
  if (Object.keys(body).length === 0)
    throw new UsageError('Use at least one option, such as --name or --connectors.')
  return withApi(context, async ({ client }) => {
    const { id } = await findPack(client, pack)
    return shown(context, await client.toolPacks.update(id, body))
  })
}

export const deletePack = (context: CliContext, pack: string, confirmed: Confirmed): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id, name } = await findPack(client, pack)
    await requireConfirmation(
      context,
      `Delete the Tool Pack ${printable(name)}? Its MCP addresses stop working.`,
      confirmed,
    )
    await client.toolPacks.delete(id)
    return { text: `Deleted the Tool Pack ${printable(name)} (${id}).`, data: { id } }
  })

type PackTool = Awaited<ReturnType<Client['toolPacks']['tools']>>['data'][number]

async function* allTools(client: Client, id: string): AsyncGenerator<PackTool> {
  for (let cursor: string | undefined; ; ) {
    const page = await client.toolPacks.tools(id, { limit: 100, ...(cursor !== undefined && { cursor }) })
    yield* page.data
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}

/** The tools as a model sees them. */
export const listPackTools = (
  context: CliContext,
  pack: string | undefined,
  { limit }: { limit: number },
): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { id } = await findPack(client, pack)
    const tools = await take(allTools(client, id), limit)
    return { text: describeTools(context, tools), data: tools }
  })

export const describeTools = (
  { screen }: CliContext,
  tools: { name: string; title?: string | undefined; description?: string | undefined }[],
): string =>
  tools.length === 0
    ? 'There are no tools.'
    : table(
        tools,
        [
          { title: 'TOOL', value: tool => tool.name },
          {
            title: 'DESCRIPTION',
            value: tool => tool.title ?? tool.description?.split('\n')[0],
            shrinks: true,
          },
        ],
        screen,
      )
