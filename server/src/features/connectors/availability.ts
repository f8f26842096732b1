import { type ConnectorFile, formMethod, signInMethod } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { type OAuthApp, ownContext, redirectUri } from '../oauth/oauth-app.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import type { Catalog } from './catalog/catalog.ts'
import { type Choices, choiceOf } from './catalog/tool-choice.ts'
import { asConnector, type ServedConnector } from './mcp-servers/mcp-connector.ts'
import { mcpConnectorStore, type StoredMcpConnector } from './mcp-servers/mcp-connector-store.ts'

/** A connector with its available methods. OAuth is available only if there is an app for it. */
export type UsableConnector = ServedConnector

export type Connectors = {
  /** A connector of the catalog or of the organization. */
  find(organizationId: string, slug: string): Promise<ServedConnector | null>
  /** The connector that an OAuth app is registered with. Its slug may since have been assigned to another server. */
  ofApp(organizationId: string, slug: string, app: OAuthApp | null): Promise<ConnectorFile | null>
  /** The connectors whose accounts can be linked now, also those without tools: a pack may allow raw requests to them. */
  linkable(organizationId: string): Promise<UsableConnector[]>
  /** The linkable connectors that agents can use. */
  usable(organizationId: string): Promise<UsableConnector[]>
  findUsable(organizationId: string, slug: string): Promise<UsableConnector | null>
  /** The named connector. Throws a refusal with the reason if it cannot be used. */
  require(organizationId: string, slug: string): Promise<UsableConnector>
  /** A catalog connector that every organization can use. Needs no database query. */
  findForAll(slug: string): UsableConnector | null
  /** A catalog connector that describes its own tools. */
  findShipped(slug: string): ConnectorFile | null
  catalog: Catalog
}

type Deps = { db: Database; catalog: Catalog; apps: OAuthApps; baseUrl: string }

/**
 * Catalog slugs need no database query, unless an organization had used the slug for its own server before the
 * catalog did. Those few are queried.
 */
export const createConnectors = async ({ db, catalog, apps, baseUrl }: Deps): Promise<Connectors> => {
  const shipped = catalog.all().map(({ slug }) => slug)
  const contested = new Set((await mcpConnectorStore.slugsAmong(db, shipped)).map(({ slug }) => slug))

  /** Null if no method is available. MCP servers register their clients themselves. */
  const withMethods = (connector: ConnectorFile, hasApp: boolean): UsableConnector | null => {
    if (connector.mcp || hasApp || !signInMethod(connector)) return connector
    const form = formMethod(connector)
    return form && { ...connector, authorization: [form] }
  }

  const findShipped = (slug: string): ConnectorFile | null => {
    const connector = contested.has(slug) ? null : catalog.find(slug)
    return connector?.mcp ? null : connector
  }
  const findForAll = (slug: string): UsableConnector | null => {
    const connector = findShipped(slug)
    return connector && withMethods(connector, apps.serviceHas(slug))
  }

  /** A server adopted from the catalog is presented as in the catalog. */
  const servedBy = (stored: StoredMcpConnector): ServedConnector => {
    const shippedOne = stored.source === 'catalog' ? catalog.find(stored.slug) : null
    const { product, keywords, categories, logo, logoPath } = shippedOne ?? {}
    return {
      ...asConnector(stored),
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
    const stored = await mcpConnectorStore.find(db, organizationId, slug)
    return stored ? servedBy(stored) : catalog.find(slug)
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
      message: `${name} has no OAuth app configured. Configure your own with PUT /api/v1/connectors/${slug}/oauth-app (register ${redirectUri(baseUrl, ownContext(organizationId, slug))} with ${name} as its redirect URI), or have the operator set ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.`,
    })
  }

  const linkable = async (organizationId: string): Promise<UsableConnector[]> => {
    const [own, servers] = await Promise.all([
      apps.ownSlugs(organizationId),
      mcpConnectorStore.all(db, organizationId),
    ])
    const taken = new Set(servers.map(({ slug }) => slug))
    const shippedOnes = catalog
      .all()
      .filter(({ slug }) => !taken.has(slug))
      .map(connector => withMethods(connector, own.has(connector.slug) || apps.serviceHas(connector.slug)))
    return [
      ...shippedOnes.filter(found => found !== null),
      ...servers.map(stored => ({
        ...servedBy(stored),
        ...(stored.toolCount !== null && { serverTools: stored.toolCount }),
        attention: attentionOf(stored),
      })),
    ]
  }

  return {
    catalog,
    find,
    ofApp: async (organizationId, slug, app) => {
      if (!app || !isUuid(app.context)) return findShipped(slug)
      const stored = await mcpConnectorStore.byId(db, organizationId, app.context)
      return stored && asConnector(stored)
    },
    findForAll,
    findShipped,
    linkable,
    usable: async organizationId => (await linkable(organizationId)).filter(hasTools),
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

const attentionOf = ({
  pendingHash,
  checkProblem,
}: StoredMcpConnector): NonNullable<ServedConnector['attention']> | null => {
  if (pendingHash !== null) return 'changed_tools'
  return checkProblem === null ? null : 'check_failed'
}

/** Null: the tools of an MCP server are unknown until an account is linked. */
export const toolCount = ({ mcp, tools, serverTools }: UsableConnector): number | null =>
  mcp ? (serverTools ?? null) : tools.length

/** A connector file without tools connects an account that agents cannot use. The tools of MCP servers come from the server. */
export const hasTools = ({ mcp, tools }: ConnectorFile): boolean => mcp !== undefined || tools.length > 0

/**
 * The usable connectors of a pack that offer at least one tool. A pack without a list contains every usable
 * connector.
 */
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
