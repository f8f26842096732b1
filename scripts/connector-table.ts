import { type ConnectorFile, formMethod, signInMethod } from '../packages/contract/src/connector.ts'
import { replaceSection } from './marked-section.ts'

const BEGIN = '<!-- connectors: written by npm run docs:connectors -->'
const END = '<!-- end of connectors -->'

const row = (connector: ConnectorFile): string => {
  const { slug, name, documentation_url, tools, mcp, source } = connector
  const methods = [signInMethod(connector) && 'OAuth', formMethod(connector) && 'key', mcp && 'MCP'].filter(
    Boolean,
  )
  const shown = mcp ? 'the vendor’s' : tools.length === 0 ? '–' : String(tools.length)
  return `| [${name}](${documentation_url}) | \`${slug}\` | ${methods.join(', ')} | ${shown} | ${evidenceOf(source)} |`
}

const evidenceOf = (source: ConnectorFile['source']): string => {
  const evidence = [source && 'documents', source?.verified && 'description', source?.tested_with].filter(
    Boolean,
  )
  const assumptions = source?.unverified?.length ?? 0
  return `${evidence.join(', ') || '–'}${assumptions > 0 ? ` (${assumptions} unverified)` : ''}`
}

export type CatalogFigures = {
  /** Connectors that agents can use. */
  connectors: number
  tools: number
  withTools: number
  /** MCP servers of vendors, whose tools are known after the first link. */
  served: number
  withoutTools: number
}

/** The figures that the documentation states, without the sandbox. */
export const catalogFigures = (connectors: ConnectorFile[]): CatalogFigures => {
  const vendors = vendorsOf(connectors)
  const withTools = vendors.filter(({ tools }) => tools.length > 0).length
  const served = vendors.filter(({ mcp }) => mcp).length
  return {
    connectors: withTools + served,
    tools: vendors.reduce((sum, { tools }) => sum + tools.length, 0),
    withTools,
    served,
    withoutTools: vendors.length - withTools - served,
  }
}

/** Every vendor in the catalog except those of the sandbox. */
const vendorsOf = (connectors: ConnectorFile[]): ConnectorFile[] =>
  connectors.filter(({ slug }) => !slug.startsWith('sandbox-'))

export const makeConnectorTable = (connectors: ConnectorFile[]): string => {
  const figures = catalogFigures(connectors)
  return [
    BEGIN,
    '',
    `${figures.connectors} connectors: ${figures.withTools} with ${figures.tools} tools of ours, and ${figures.served} that are the vendor’s own MCP server. ${figures.withoutTools} more files connect an account and have no tools yet; they are not offered.`,
    '',
    '| Connector | Slug | Connected by | Tools | Checked with |',
    '|---|---|---|---|---|',
    ...vendorsOf(connectors).map(row),
    '',
    END,
  ].join('\n')
}

/** Returns the page with the table inserted. */
export const withConnectorTable = (page: string, table: string): string =>
  replaceSection(page, BEGIN, END, table)
