import { hash } from 'node:crypto'
import type { ConnectorFile } from '@carabiner/contract'
import { toolAnnotations } from '../../connectors/catalog/catalog-tools.ts'
import { findChoiceProblem, publishInputs, type ToolChoice } from '../../connectors/catalog/tool-choice.ts'
import { publishedInputSchema } from '../../upstream/http/pagination.ts'
import { withoutParameterHeaders } from '../../upstream/mcp-client/parameter-headers.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import { authenticateToolName, toolName } from '../admission/tool-names.ts'

export type ListedTool = {
  name: string
  title?: string
  description: string
  inputSchema: Record<string, unknown>
  annotations: Record<string, unknown>
}
/** A tool as its connector defines it, under its full name. Created once and shared by all lists. */
export type OwnTool = { tool: string; listed: ListedTool }

const shipped = new WeakMap<ConnectorFile, OwnTool[]>()

/** `outputSchema` is never advertised: a result may be redacted or be an `authenticate_meta`. */
export const shippedTools = (connector: ConnectorFile): OwnTool[] => {
  const known = shipped.get(connector)
  if (known) return known
  const made = connector.tools.map(tool => ({
    tool: tool.name,
    listed: {
      name: toolName(connector.slug, tool.name),
      title: tool.title,
      description: tool.description,
      inputSchema: publishedInputSchema(tool),
      annotations: toolAnnotations(tool),
    },
  }))
  shipped.set(connector, made)
  return made
}

export const serverTool = (
  slug: string,
  { name, title, description, inputSchema, annotations }: McpTool,
): OwnTool => ({
  tool: name,
  listed: {
    name: toolName(slug, name),
    ...(title !== undefined && { title }),
    description,
    inputSchema: withoutParameterHeaders(inputSchema),
    annotations: annotations ?? {},
  },
})

/** For a connector whose tools are unknown until a user has linked it. */
export const askToLink = ({ slug, name }: { slug: string; name: string }): ListedTool => ({
  name: authenticateToolName(slug),
  title: `Connect ${name}`,
  description: `${name} is not connected yet. Call this to get a link for the user; once the account is connected, the tools of ${name} are listed here.`,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { title: `Connect ${name}`, readOnlyHint: true },
})

/** By the hash of the choice, which may contain 32 KB of fixed values. Weak: an entry ends with its tool. */
const offers = new WeakMap<OwnTool, Map<string, ListedTool | null>>()
/** More packs rarely configure the same tool differently. */
const MAX_OFFERS = 100

/** The tool as the pack offers it; null if the pack's settings no longer fit the tool. */
export const offerTool = (own: OwnTool, choice: ToolChoice): ListedTool | null => {
  if (choice.description === undefined && !choice.inputs) return own.listed
  const made = offers.get(own) ?? new Map<string, ListedTool | null>()
  const key = hash('sha256', JSON.stringify(choice), 'base64url')
  const known = made.get(key)
  if (known !== undefined) return known
  if (made.size >= MAX_OFFERS) made.clear()
  const offer = makeOffer(own.listed, choice)
  offers.set(own, made.set(key, offer))
  return offer
}

const makeOffer = (listed: ListedTool, choice: ToolChoice): ListedTool | null =>
  findChoiceProblem(listed.inputSchema, choice)
    ? null
    : {
        ...listed,
        description: choice.description ?? listed.description,
        inputSchema: publishInputs(listed.inputSchema, choice),
      }
