import { type ConnectorFile, oauthMethod, type UnusedScopes } from '@carabiner/contract'
import type { GrantedScope } from '../../credentials/accounts/granted-scopes.ts'
import type { UsedTool } from '../../metering/limits/used-tools.ts'

type ConnectorScopes = UnusedScopes['data'][number]

/**
 * The granted scopes that no called tool needs. Scopes that no tool of the connector needs are for the sign-in itself, and are not listed. Of
 * alternative scopes, each counts as used: the provider may have granted only one of them. What a raw request needs is not known, so a connector with
 * one is left out.
 */
export const findUnusedScopes = (
  granted: readonly GrantedScope[],
  used: readonly UsedTool[],
  connectorOf: (slug: string) => ConnectorFile | null,
): ConnectorScopes[] =>
  [...Map.groupBy(granted, ({ connectorSlug }) => connectorSlug)].flatMap(([slug, scopes]) => {
    const connector = connectorOf(slug)
    if (!connector) return []
    const called = used.filter(({ connectorSlug }) => connectorSlug === slug).map(({ tool }) => tool)
    const needs = needsOf(connector)
    if (called.some(tool => !needs.has(tool))) return []
    const needed = new Set(called.flatMap(tool => needs.get(tool) ?? []))
    const unused = scopes.flatMap(({ scope, credentials }) => {
      const tools = [...needs].filter(([, names]) => names.includes(scope)).map(([tool]) => tool)
      return tools.length > 0 && !needed.has(scope)
        ? [{ name: scope, title: titleOf(connector, scope), credentials, tools }]
        : []
    })
    return unused.length > 0 ? [{ connector_slug: slug, scopes: unused }] : []
  })

/** The scopes of each tool. */
const needsOf = ({ tools }: ConnectorFile): Map<string, string[]> =>
  new Map(tools.map(({ name, scopes }) => [name, scopes.flat()]))

const titleOf = (connector: ConnectorFile, scope: string): string | null =>
  oauthMethod(connector)?.scopes.find(({ name }) => name === scope)?.title ?? null
