import type { ConnectorFile } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import type { OAuthApps } from '../oauth/oauth-app.ts'
import type { Catalogue } from './catalogue.ts'

export type Connectors = {
  find(slug: string): ConnectorFile | null
  /** What can be linked now: in the catalogue, and with an OAuth app where it needs one. */
  usable(): ConnectorFile[]
  /** The connector of a pack that the caller named, or the refusal that says what is wrong with it. */
  require(slug: string): ConnectorFile
}

export const createConnectors = (catalogue: Catalogue, apps: OAuthApps): Connectors => {
  const isUsable = (connector: ConnectorFile): boolean =>
    connector.authorization.type === 'api_key' || apps.find(connector.slug) !== null
  return {
    find: slug => catalogue.find(slug),
    usable: () => catalogue.all().filter(isUsable),
    require: slug => {
      const connector = catalogue.find(slug)
      if (!connector) throw new Refusal('unknown_connector', { param: 'connector_slug' })
      if (!isUsable(connector)) {
        const prefix = `OAUTH_${slug.toUpperCase().replaceAll('-', '_')}`
        throw new Refusal('connector_not_configured', {
          param: 'connector_slug',
          message: `${connector.name} has no OAuth app configured. The operator sets ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET.`,
        })
      }
      return connector
    },
  }
}

/** A pack without a list holds every connector that is usable now. */
export const packConnectors = (connectors: Connectors, listed: string[] | null): ConnectorFile[] =>
  connectors.usable().filter(({ slug }) => listed === null || listed.includes(slug))
