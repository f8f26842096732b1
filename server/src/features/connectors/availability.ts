import { apiKeyMethod, type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { type OAuthApp, ownContext, redirectUri } from '../oauth/oauth-app.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import type { Catalogue } from './catalog/catalog.ts'
import { type Choices, choiceOf } from './catalog/tool-choice.ts'
import { asConnector, type ServedConnector } from './mcp-servers/mcp-connector.ts'
import { type McpConnectorRow, mcpConnectorStore } from './mcp-servers/mcp-connector-store.ts'

/** A connector with the methods that work now: OAuth only where there is an app for it. */
export type UsableConnector = ServedConnector

export type Connectors = {
  /** One of the catalogue, or of the organization's own. */
  find(organizationId: string, slug: string): Promise<ServedConnector | null>
  /** The one that an app is registered with: a slug may have been given to another server since. */
  ofApp(organizationId: string, slug: string, app: OAuthApp | null): Promise<ConnectorFile | null>
  usable(organizationId: string): Promise<UsableConnector[]>
  findUsable(organizationId: string, slug: string): Promise<UsableConnector | null>
  /** The connector that the caller named, or the refusal that says what is wrong with it. */
  require(organizationId: string, slug: string): Promise<UsableConnector>
  /** Of the catalogue, and usable by every organization: nothing needs to be asked of the database. */
  findForAll(slug: string): UsableConnector | null
  /** Of the catalogue, and with tools that it describes itself. */
  findShipped(slug: string): ConnectorFile | null
  catalogue: Catalogue
}

type Deps = { db: Database; catalogue: Catalogue; apps: OAuthApps; baseUrl: string }

/**
 * A slug of the catalogue is known without asking the database, unless an organization had given it to a server of its own
 * before the catalogue came to hold it: those few are asked for.
 */
export const createConnectors = async ({ db, catalogue, apps, baseUrl }: Deps): Promise<Connectors> => {
  const shipped = catalogue.all().map(({ slug }) => slug)
  const contested = new Set((await mcpConnectorStore.slugsAmong(db, shipped)).map(({ slug }) => slug))

  /** Null where nothing of it works. An MCP server registers its clients itself. */
  const withMethods = (connector: ConnectorFile, hasApp: boolean): UsableConnector | null => {
    if (connector.mcp || hasApp || !oauthMethod(connector)) return connector
    const key = apiKeyMethod(connector)
    return key && { ...connector, authorization: [key] }
  }

  const findShipped = (slug: string): ConnectorFile | null => {
    const connector = contested.has(slug) ? null : catalogue.find(slug)
    return connector?.mcp ? null : connector
  }
  const findForAll = (slug: string): UsableConnector | null => {
    const connector = findShipped(slug)
    return connector && withMethods(connector, apps.serviceHas(slug))
  }

  /** A server that was adopted from the catalogue looks as it does there. */
  const servedBy = (row: McpConnectorRow): ServedConnector => {
    const shippedOne = row.source === 'catalogue' ? catalogue.find(row.slug) : null
    const { product, keywords, categories, logo, logoPath } = shippedOne ?? {}
    return {
      ...asConnector(row),
      ...(product && { product }),
      ...(keywords && { keywords }),
      ...(categories && { categories }),
      ...(logo && { logo }),
      ...(logoPath !== undefined && { logoPath }),
    }
  }

  const find = async (organizationId: string, slug: string): Promise<ServedConnector | null> => {
    const shippedOne = findShipped(slug)
    if (shippedOne) return shippedOne
    const row = await mcpConnectorStore.find(db, organizationId, slug)
    return row ? servedBy(row) : catalogue.find(slug)
  }

  const findUsable = async (organizationId: string, slug: string): Promise<UsableConnector | null> => {
    const found = await find(organizationId, slug)
    if (!found || found.mcp) return found
    const hasApp = apps.serviceHas(slug) || (await apps.ownSlugs(organizationId)).has(slug)
    return withMethods(found, hasApp)
  }

  const explainUnusable = (organizationId: string, { slug, name }: ConnectorFile): Refusal => {
    const prefix = `OAUTH_${slug.toUpperCase().replaceAll('-', '_')}`
    return new Refusal('connector_not_configured', {
      param: 'connector_slug',
      message: `${name} has no OAuth app configured. Give your own by PUT /api/v1/connectors/${slug}/oauth-app (register ${redirectUri(baseUrl, ownContext(organizationId, slug))} with ${name} as its redirect URI), or have the operator set ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.`,
    })
  }

  return {
    catalogue,
    find,
    ofApp: async (organizationId, slug, app) => {
      if (!app || !isUuid(app.context)) return findShipped(slug)
      const row = await mcpConnectorStore.byId(db, organizationId, app.context)
      return row && asConnector(row)
    },
    findForAll,
    findShipped,
    usable: async organizationId => {
      const [own, servers] = await Promise.all([
        apps.ownSlugs(organizationId),
        mcpConnectorStore.all(db, organizationId),
      ])
      const taken = new Set(servers.map(({ slug }) => slug))
      const shippedOnes = catalogue
        .all()
        .filter(({ slug }) => !taken.has(slug))
        .map(connector => withMethods(connector, own.has(connector.slug) || apps.serviceHas(connector.slug)))
      return [
        ...shippedOnes.filter(found => found !== null),
        ...servers.map(row => ({
          ...servedBy(row),
          ...(row.tool_count !== null && { serverTools: row.tool_count }),
        })),
      ]
    },
    findUsable,
    require: async (organizationId, slug) => {
      const usable = await findUsable(organizationId, slug)
      if (usable) return usable
      const connector = await find(organizationId, slug)
      if (!connector) throw new Refusal('unknown_connector', { param: 'connector_slug' })
      throw explainUnusable(organizationId, connector)
    },
  }
}

/** Null: the tools of an MCP server are not known before an account is linked. */
export const toolCount = ({ mcp, tools, serverTools }: UsableConnector): number | null =>
  mcp ? (serverTools ?? null) : tools.length

/** The connectors that a pack holds and has a tool of. A pack without a list holds every connector that is usable now. */
export const usableByPack = (
  connectors: UsableConnector[],
  listed: string[] | null,
  choices: Choices,
): UsableConnector[] =>
  connectors.filter(
    connector => (listed === null || listed.includes(connector.slug)) && offersTools(connector, choices),
  )

const offersTools = (connector: UsableConnector, choices: Choices): boolean => {
  const { slug, mcp, tools } = connector
  if (!mcp) return tools.some(({ name }) => choiceOf(choices, slug, name) !== null)
  const choosesNone = Object.hasOwn(choices, slug) && Object.keys(choices[slug] ?? {}).length === 0
  return !choosesNone && toolCount(connector) !== 0
}
