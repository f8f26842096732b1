import { apiKeyMethod, type ConnectorFile, oauthMethod } from '../packages/contract/src/connector.ts'
import { replaceSection } from './marked-section.ts'

const BEGIN = '<!-- connectors: written by npm run docs:connectors -->'
const END = '<!-- end of connectors -->'

const row = (connector: ConnectorFile): string => {
  const { slug, name, documentation_url, tools, mcp, source } = connector
  const methods = [oauthMethod(connector) && 'OAuth', apiKeyMethod(connector) && 'key', mcp && 'MCP'].filter(
    Boolean,
  )
  const shown = mcp ? 'the vendor’s' : tools.length === 0 ? '–' : String(tools.length)
  return `| [${name}](${documentation_url}) | \`${slug}\` | ${methods.join(', ')} | ${shown} | ${source?.verified ?? '–'} |`
}

/** Every vendor in the catalog except those of the sandbox. */
export const makeConnectorTable = (connectors: ConnectorFile[]): string => {
  const vendors = connectors.filter(({ slug }) => !slug.startsWith('sandbox-'))
  const tools = vendors.reduce((sum, { tools: own }) => sum + own.length, 0)
  const withTools = vendors.filter(({ tools: own }) => own.length > 0).length
  const served = vendors.filter(({ mcp }) => mcp).length
  return [
    BEGIN,
    '',
    `${vendors.length} connectors: ${withTools} with ${tools} tools of ours, ${served} that are the vendor’s own MCP server, and ${vendors.length - withTools - served} that connect an account and have no tools yet.`,
    '',
    '| connector | slug | connected by | tools | verified by |',
    '|---|---|---|---|---|',
    ...vendors.map(row),
    '',
    END,
  ].join('\n')
}

/** Returns the page with the table inserted. */
export const withConnectorTable = (page: string, table: string): string =>
  replaceSection(page, BEGIN, END, table)
