import { apiKeyMethod, type ConnectorFile, oauthMethod } from '@carabiner/contract'
import type { Brand } from '../../organizations/link-customization.ts'

/** A product as people know it, and the connectors that lead to it, the preferred one first. */
export type Product<C extends ConnectorFile = ConnectorFile> = { name: string; connectors: C[] }

/** By OAuth, or by what a server that nobody here has asked yet will tell. */
export const signsIn = (connector: ConnectorFile): boolean =>
  oauthMethod(connector) !== null || (connector.mcp !== undefined && apiKeyMethod(connector) === null)

export const productName = ({ product, name }: ConnectorFile): string => product ?? name

/** A connector whose tools are described here comes before the vendor's MCP server, and signing in before pasting a key. */
const preference = (connector: ConnectorFile): number =>
  (connector.mcp === undefined ? 0 : 2) + (signsIn(connector) ? 0 : 1)

export const productsOf = <C extends ConnectorFile>(connectors: C[]): Product<C>[] =>
  [...Map.groupBy(connectors, productName)].map(([name, same]) => ({
    name,
    connectors: same.toSorted((a, b) => preference(a) - preference(b)),
  }))

/** The products that most people look for, roughly in that order. */
const POPULAR = [
  'Gmail',
  'Google Calendar',
  'Slack',
  'Google Drive',
  'Notion',
  'GitHub',
  'Outlook',
  'Microsoft Teams',
  'Jira',
  'Linear',
  'HubSpot',
  'Salesforce',
  'Google Docs',
  'Google Sheets',
  'OneDrive',
  'Zoom',
  'Asana',
  'Trello',
  'Dropbox',
  'Stripe',
  'Zendesk',
  'Intercom',
  'Figma',
  'Confluence',
  'Airtable',
]

const placeIn = (list: string[], entry: string): number =>
  list.includes(entry) ? list.indexOf(entry) : list.length

/** Products that the organization named come first, in its order; then popular ones; then the others by name. */
export const inOrder = <C extends ConnectorFile>(
  products: Product<C>[],
  { connectorOrder }: Pick<Brand, 'connectorOrder'>,
): Product<C>[] => {
  const named = ({ connectors }: Product<C>): number =>
    Math.min(...connectors.map(({ slug }) => placeIn(connectorOrder, slug)))
  return products.toSorted(
    (a, b) =>
      named(a) - named(b) ||
      placeIn(POPULAR, a.name) - placeIn(POPULAR, b.name) ||
      a.name.localeCompare(b.name, 'en'),
  )
}
