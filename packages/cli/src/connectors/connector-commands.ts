import { withApi } from '../api/api-client.ts'
import type { Connector } from '../api/sdk.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { CommandError, type Output } from '../terminal/output.ts'
import { details, table } from '../terminal/table.ts'

type ListOptions = { all?: boolean; search?: string }

const listConnectors = (context: CliContext, { all, search }: ListOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const listed = await client.connectors.list(all ? { include: 'not_configured' } : {})
    const word = search?.toLowerCase()
    const data = word
      ? listed.filter(({ slug, name, categories }) =>
          [slug, name.toLowerCase(), ...categories].some(text => text.includes(word)),
        )
      : listed
    return {
      text:
        data.length === 0
          ? 'No matching connectors.'
          : table(
              data,
              [
                { title: 'SLUG', value: each => each.slug },
                { title: 'NAME', value: each => each.name, shrinks: true },
                { title: 'METHODS', value: each => each.methods.join(', ') || 'none' },
                { title: 'TOOLS', value: each => each.tool_count },
                ...(all
                  ? [{ title: 'USABLE', value: (each: Connector) => (each.is_usable ? 'yes' : 'no') }]
                  : []),
                { title: 'CATEGORIES', value: each => each.categories.join(', '), shrinks: true },
              ],
              context.screen,
            ),
      data,
    }
  })

const showConnector = (context: CliContext, slug: string): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const listed = await client.connectors.list({ include: 'not_configured' })
    const connector = listed.find(each => each.slug === slug)
    if (!connector)
      throw new CommandError(
        `There is no connector "${slug}". See \`carabiner connectors list --all\`.`,
        'connector_not_found',
      )
    return {
      text: details(
        [
          ['Slug', connector.slug],
          ['Name', connector.name],
          ['Summary', connector.summary],
          ['Categories', connector.categories.join(', ')],
          ['Source', `${connector.source}, ${connector.kind}`],
          ['Methods', connector.methods.join(', ') || 'none'],
          ['Tools', connector.tool_count],
          ['Usable', usability(connector)],
          ['Documentation', connector.documentation_url],
        ],
        context.screen,
      ),
      data: connector,
    }
  })

const usability = ({ is_usable: isUsable, tool_count: tools }: Connector): string => {
  if (isUsable) return 'yes'
  return tools === 0 ? 'no: it has no tools yet' : 'no: it needs an OAuth app first'
}

export const registerConnectors: RegisterCommands = (program, context) => {
  const connectors = nounCommand(
    program,
    'connectors',
    'everyday',
    'Connectors: the systems that agents can use',
  )
  connectors
    .command('list')
    .description('List usable connectors')
    .option('--all', 'also list those that need an OAuth app first or have no tools yet')
    .option('--search <text>', 'part of a slug, a name or a category')
    .examples('carabiner connectors list', 'carabiner connectors list --all --search crm')
    .action(runs(context, (options: ListOptions) => listConnectors(context, options)))
  connectors
    .command('show')
    .description('Show a connector')
    .argument('<slug>', 'slug of the connector')
    .examples('carabiner connectors show github')
    .action(runs(context, (slug: string) => showConnector(context, slug)))
}
