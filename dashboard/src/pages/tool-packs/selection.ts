import type { McpToolsState, ToolPack } from '@carabiner/sdk'
import { isSame } from '../../drafts/is-same.ts'

/** Null: every usable connector. */
export type Selection = ToolPack['connectors']
export type ChosenConnector = NonNullable<Selection>[number]
export type ChosenTool = NonNullable<ChosenConnector['tools']>[number]
export type RequestRules = NonNullable<ChosenConnector['requests']>
/** A tool of a connector. */
export type ToolDefinition = McpToolsState['tools'][number]
export type Chosen = 'all' | 'some' | 'none'

export const findRequests = (selection: Selection, slug: string): RequestRules | undefined =>
  find(selection, slug)?.requests

const find = (selection: Selection, slug: string): ChosenConnector | undefined =>
  selection?.find(connector => connector.slug === slug)

export const isConnectorChosen = (selection: Selection, slug: string): Chosen => {
  if (selection === null) return 'all'
  const connector = find(selection, slug)
  if (!connector || connector.tools?.length === 0) return 'none'
  return connector.tools === null ? 'all' : 'some'
}

export const findTool = (selection: Selection, slug: string, tool: string): ChosenTool | undefined => {
  const connector = selection === null ? { slug, tools: null } : find(selection, slug)
  if (!connector) return undefined
  return connector.tools === null ? { name: tool } : connector.tools.find(({ name }) => name === tool)
}

/** `all`: the slugs of all connectors, because a pack with everything has no list yet. */
export const chooseConnector = (
  selection: Selection,
  all: readonly string[],
  slug: string,
  isChosen: boolean,
): Selection => {
  const connectors = listOf(selection, all)
  const others = connectors.filter(connector => connector.slug !== slug)
  const current = connectors.find(connector => connector.slug === slug)
  return isChosen ? [...others, { ...current, slug, tools: null }] : others
}

/** `tools`: the names of all tools of the connector. Settings of the other tools are kept. */
export const chooseTool = (
  selection: Selection,
  all: readonly string[],
  { slug, tools }: { slug: string; tools: readonly string[] },
  tool: ChosenTool | { name: string; isRemoved: true },
): Selection => {
  const connectors = listOf(selection, all)
  const current = connectors.find(connector => connector.slug === slug)
  const chosen = current ? (current.tools ?? tools.map(name => ({ name }))) : []
  const rest = chosen.filter(({ name }) => name !== tool.name)
  const next: ChosenTool[] = 'isRemoved' in tool ? rest : [...rest, tool]
  const isPlain = next.every(chosenTool => Object.keys(chosenTool).every(key => key === 'name'))
  const isWhole = isPlain && tools.every(name => next.some(chosenTool => chosenTool.name === name))
  const others = connectors.filter(connector => connector.slug !== slug)
  if (next.length === 0 && !current?.requests) return others
  return [...others, { ...current, slug, tools: isWhole ? null : next }]
}

/** Without `requests`, the connector offers no raw requests. */
export const chooseRequests = (
  selection: Selection,
  all: readonly string[],
  slug: string,
  requests: RequestRules | undefined,
): Selection => {
  if (!requests && !findRequests(selection, slug)) return selection
  const connectors = listOf(selection, all)
  const { tools } = connectors.find(connector => connector.slug === slug) ?? { tools: [] }
  const others = connectors.filter(connector => connector.slug !== slug)
  if (!requests && tools?.length === 0) return others
  return [...others, { slug, tools, ...(requests && { requests }) }]
}

const listOf = (selection: Selection, all: readonly string[]): ChosenConnector[] =>
  selection ?? all.map(slug => ({ slug, tools: null }))

/** Order does not matter, so selections are compared, and kept as drafts, in one order. */
export const inOrder = (selection: Selection): Selection =>
  selection
    ?.map(connector => ({ ...connector, tools: connector.tools?.toSorted(byName) ?? null }))
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1)) ?? null

const byName = (a: ChosenTool, b: ChosenTool): number => (a.name < b.name ? -1 : 1)

/** The connectors in which two selections differ. A change between "all" and a list counts as one. */
export const changedSlugs = (before: Selection, after: Selection): string[] => {
  if (before === null || after === null) return before === after ? [] : ['*']
  const slugs = new Set([...before, ...after].map(({ slug }) => slug))
  return [...slugs].filter(slug => !isSame(find(before, slug), find(after, slug)))
}
