import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { type Choices, choiceOf } from '../../connectors/catalog/tool-choice.ts'
import type { Translate } from '../../connectors/catalog/translations.ts'
import type { KnownTool } from '../../connectors/mcp-servers/known-tools.ts'
import { type Abilities, type ConnectorText, TOOL_KINDS } from '../../pages/views/index.ts'
import { toolKind } from './tool-kind.ts'

type AbilitiesInput = {
  connector: ConnectorFile
  tools: KnownTool[]
  choices: Choices
  /** Whether the account is connected by OAuth; API keys have no scopes. */
  bySignIn: boolean
  /** The scopes that the link requests. */
  requested: string[]
  /** Those of them that are shown, if the account was linked without them. Null: all. */
  added: string[] | null
  translate: Translate
}

/**
 * The abilities shown on the consent page: the tools of the Tool Pack that the requested scopes allow. If no tool is known,
 * the scopes are shown; if there are no scopes either, access to the whole account.
 */
export const abilitiesOf = (input: AbilitiesInput): Abilities => {
  const { connector, tools, choices, bySignIn, requested, added, translate } = input
  const method = bySignIn ? oauthMethod(connector) : null
  const held = new Set(requested)
  const known = new Set(method?.scopes.map(({ name }) => name))
  // A scope that the connector does not list can only be granted in the settings of the provider's app, so the tool is
  // shown.
  const isHeld = (scope: string): boolean => held.has(scope) || !known.has(scope)
  const isAllowed = ({ scopes }: KnownTool): boolean =>
    scopes.every(scope => (typeof scope === 'string' ? isHeld(scope) : scope.some(isHeld)))
  const isNew = ({ scopes }: KnownTool): boolean =>
    added === null || scopes.flat().some(scope => added.includes(scope))
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
  const shown = method ? (added ?? requested) : []
  if (shown.length === 0) return { by: 'account' }
  return {
    by: 'scopes',
    permissions: shown.map(name => {
      const scope = method?.scopes.find(one => one.name === name)
      return {
        title: scope && scope.title !== name ? translate(scope.title) : name,
        detail: scope?.detail === undefined ? null : translate(scope.detail),
      }
    }),
  }
}

/** The titles of MCP tools are written by the server in an unknown language, so they are shown unchanged. */
export const toolTitle = ({ title, method }: KnownTool, translate: Translate): ConnectorText =>
  method === undefined ? title : translate(title)
