import { type AsksFor, type ConnectorFile, formMethod, signInMethod } from '@carabiner/contract'
import type { Brand } from '../../organizations/link-customization.ts'
import { asksFor } from '../../upstream/authorization-kinds/authorization-kinds.ts'

/** A product and its connectors, the preferred connector first. */
export type Product<C extends ConnectorFile = ConnectorFile> = { name: string; connectors: C[] }

/**
 * Whether the connector uses OAuth. An MCP server without a known method is assumed to; it is discovered when the person
 * signs in.
 */
export const usesSignIn = (connector: ConnectorFile): boolean =>
  signInMethod(connector) !== null || (connector.mcp !== undefined && formMethod(connector) === null)

/** What a person needs to link the connector. */
export const linkedBy = (connector: ConnectorFile): 'sign_in' | AsksFor => {
  const form = formMethod(connector)
  return form && !usesSignIn(connector) ? asksFor(form) : 'sign_in'
}

export const productName = ({ product, name }: ConnectorFile): string => product ?? name

/** A connector with its own tool definitions is preferred over the vendor's MCP server, and OAuth over API keys. */
const preference = (connector: ConnectorFile): number =>
  (connector.mcp === undefined ? 0 : 2) + (usesSignIn(connector) ? 0 : 1)

export const productsOf = <C extends ConnectorFile>(connectors: C[]): Product<C>[] =>
  [...Map.groupBy(connectors, productName)].map(([name, same]) => ({
    name,
    connectors: same.toSorted((a, b) => preference(a) - preference(b)),
  }))

/** The most popular products, roughly in order of popularity. */
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

const positionIn = (list: string[], entry: string): number =>
  list.includes(entry) ? list.indexOf(entry) : list.length

/** Sorts products: those named by the organization first, in its order, then popular ones, then the others by name. */
export const sortProducts = <C extends ConnectorFile>(
  products: Product<C>[],
  { connectorOrder }: Pick<Brand, 'connectorOrder'>,
): Product<C>[] => {
  const named = ({ connectors }: Product<C>): number =>
    Math.min(...connectors.map(({ slug }) => positionIn(connectorOrder, slug)))
  return products.toSorted(
    (a, b) =>
      named(a) - named(b) ||
      positionIn(POPULAR, a.name) - positionIn(POPULAR, b.name) ||
      a.name.localeCompare(b.name, 'en'),
  )
}
