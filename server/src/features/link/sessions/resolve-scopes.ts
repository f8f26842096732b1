import { oauthMethod } from '@carabiner/contract'
import { nearestName } from '../../../core/nearest-name.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { UsableConnector } from '../../connectors/availability.ts'
import {
  missingScopes,
  offeredScopes,
  requiredScopes,
  type ScopesReason,
} from '../../connectors/link-scopes.ts'
import { type KnownTool, knownTools } from '../../connectors/mcp-servers/known-tools.ts'
import type { OAuthApps } from '../../oauth/oauth-apps.ts'

/** The tools and scopes that a request for a link names. Tools may have the prefix of their connector. */
export type NamedScopes = { tools: string[]; scopes: string[] }
/** Scopes that a link requests by name, besides those granted before. */
export type MoreScopes = { reason: ScopesReason; names: string[] }

/** The scopes that a link requests by name, and the names of the tools without their prefix. Throws if one is unknown. */
export const resolveScopes = async (
  { db, apps }: { db: Queryable; apps: OAuthApps },
  { organizationId }: { organizationId: string },
  connector: UsableConnector,
  named: NamedScopes,
): Promise<{ named: NamedScopes; scopes: MoreScopes }> => {
  const tools = await findTools(db, organizationId, connector, named.tools)
  const method = oauthMethod(connector)
  const app = method && (await apps.forLinking(organizationId, connector.slug))
  const offered = method ? offeredScopes(method, app?.scopes ?? null) : []
  const requireOffered = (scope: string, param: string, neededBy = ''): void => {
    if (offered.includes(scope)) return
    const meant = nearestName(scope, offered)
    throw new Refusal('unknown_scope', {
      param,
      message: `${connector.name} cannot request the scope "${scope}"${neededBy}: ${app?.scopes ? 'its OAuth app is not configured with it' : 'the Connector does not list it'}.${meant ? ` Did you mean "${meant}"?` : ''}`,
    })
  }
  for (const [index, scope] of named.scopes.entries()) requireOffered(scope, `scopes.${index}`)
  const names = [...named.scopes]
  for (const [index, { name, scopes }] of method ? tools.entries() : []) {
    const available = scopes.map(scope => {
      const alternatives = [scope].flat()
      const offers = alternatives.filter(each => offered.includes(each))
      if (offers.length === 0)
        requireOffered(alternatives[0] as string, `tools.${index}`, `, which "${name}" needs`)
      return offers
    })
    names.push(...missingScopes(available, [...requiredScopes(method), ...names]))
  }
  return {
    named: { ...named, tools: tools.map(({ name }) => name) },
    scopes: { reason: 'requested', names: [...new Set(names)] },
  }
}

const findTools = async (
  db: Queryable,
  organizationId: string,
  connector: UsableConnector,
  names: string[],
): Promise<KnownTool[]> => {
  if (names.length === 0) return []
  const known = await knownTools(db, organizationId, connector)
  const prefix = `${connector.slug}__`
  return names.map((name, index) => {
    const bare = name.startsWith(prefix) ? name.slice(prefix.length) : name
    const found = known.find(tool => tool.name === bare)
    if (found) return found
    const meant = nearestName(
      bare,
      known.map(tool => tool.name),
    )
    throw new Refusal('unknown_tool', {
      param: `tools.${index}`,
      message: `${connector.name} has no tool "${name}"${meant ? `; did you mean "${meant}"?` : '.'}`,
    })
  })
}
