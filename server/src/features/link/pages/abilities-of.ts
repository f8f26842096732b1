import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { type Choices, choiceOf } from '../../connectors/catalog/tool-choice.ts'
import type { Translate } from '../../connectors/catalog/translations.ts'
import type { KnownTool } from '../../connectors/mcp-servers/known-tools.ts'
import { type Abilities, type ConnectorText, TOOL_KINDS } from '../views/index.ts'
import { toolKind } from './tool-kind.ts'

type Asked = {
  connector: ConnectorFile
  tools: KnownTool[]
  choices: Choices
  /** How the account is to be connected: only a sign-in asks for scopes. */
  bySignIn: boolean
  /** What the organization's own OAuth app asks for. */
  ownScopes: string[] | null
  /** Asked for on top of what was granted before. */
  moreScopes: string[] | null
  grantedScopes: string[]
  translate: Translate
}

/**
 * What the assistant will be able to do once the account is connected: the tools of the Tool Pack that the requested scopes allow.
 * Where no tool is known, the scopes themselves; where there are none either, anything that the account may do.
 */
export const abilitiesOf = (asked: Asked): Abilities => {
  const { connector, tools, choices, bySignIn, ownScopes, moreScopes, grantedScopes, translate } = asked
  const method = bySignIn ? oauthMethod(connector) : null
  const regular = method?.scopes.filter(({ optional }) => !optional).map(({ name }) => name) ?? []
  const requested = moreScopes ?? ownScopes ?? regular
  const held = new Set([...requested, ...(moreScopes ? grantedScopes : [])])
  const known = new Set(method?.scopes.map(({ name }) => name))
  // A scope that the connector does not list is granted by the vendor's app settings, or not at all.
  const isHeld = (scope: string): boolean => held.has(scope) || !known.has(scope)
  const isAllowed = ({ scopes }: KnownTool): boolean =>
    scopes.every(scope => (typeof scope === 'string' ? isHeld(scope) : scope.some(isHeld)))
  const isNew = ({ scopes }: KnownTool): boolean =>
    moreScopes === null || scopes.flat().some(scope => moreScopes.includes(scope))
  const usable = tools.filter(
    tool =>
      choiceOf(choices, connector.slug, tool.name) !== null && (!method || (isAllowed(tool) && isNew(tool))),
  )
  if (usable.length > 0)
    return {
      by: 'tools',
      groups: TOOL_KINDS.map(kind => ({
        kind,
        tools: usable.filter(tool => toolKind(tool) === kind).map(tool => toolTitle(tool, translate)),
      })).filter(group => group.tools.length > 0),
    }
  if (requested.length === 0) return { by: 'account' }
  return {
    by: 'scopes',
    permissions: requested.map(name => {
      const scope = method?.scopes.find(one => one.name === name)
      return {
        title: scope && scope.title !== name ? translate(scope.title) : name,
        detail: scope?.detail === undefined ? null : translate(scope.detail),
      }
    }),
  }
}

/** The titles of an MCP server's tools are the server's own text, in whatever language, so they are shown unchanged. */
const toolTitle = ({ title, method }: KnownTool, translate: Translate): ConnectorText =>
  method === undefined ? title : translate(title)
