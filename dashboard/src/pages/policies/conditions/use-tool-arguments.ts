import type { McpToolsState } from '@carabiner/sdk'
import { useMemo } from 'react'
import { useApiQuery } from '../../../api/use-api-query.ts'

export type ArgumentType = 'number' | 'text' | 'boolean' | 'list' | 'other'

/** A rule that names tools of more connectors offers the arguments of these. */
const MAX_CONNECTORS = 5

const NONE: ReadonlyMap<string, ArgumentType> = new Map()

/** The arguments of the tools that a rule names, for suggestions. */
export const useToolArguments = (tools: readonly string[]): ReadonlyMap<string, ArgumentType> => {
  const slugs = [
    ...new Set(tools.filter(tool => tool !== '*').map(tool => tool.slice(0, tool.indexOf('__')))),
  ]
    .toSorted()
    .slice(0, MAX_CONNECTORS)
  const { data } = useApiQuery(
    ['connectors', 'tools-of', slugs],
    async (api, options) =>
      Promise.all(
        slugs.map(async slug => ({ slug, tools: (await api.mcpConnectors.tools(slug, options)).tools })),
      ),
    { mode: 'production', enabled: slugs.length > 0, keepPrevious: slugs.length > 0 },
  )
  const key = tools.join(' ')
  return useMemo(() => {
    const isNamed = (name: string): boolean =>
      key
        .split(' ')
        .some(tool => tool === name || (tool.endsWith('__*') && name.startsWith(tool.slice(0, -1))))
    const named = (data ?? []).flatMap(({ slug, tools: each }) =>
      each.filter(({ name }) => isNamed(`${slug}__${name}`)),
    )
    return named.length > 0 ? new Map(named.flatMap(argumentsOf)) : NONE
  }, [data, key])
}

const argumentsOf = ({ input_schema: schema }: McpToolsState['tools'][number]): [string, ArgumentType][] => {
  const { properties } = schema as { properties?: Record<string, { type?: unknown }> }
  return Object.entries(properties ?? {}).map(([name, property]) => [name, typeOf(property.type)])
}

const TYPES: Record<string, ArgumentType> = {
  number: 'number',
  integer: 'number',
  string: 'text',
  boolean: 'boolean',
  array: 'list',
}

const typeOf = (type: unknown): ArgumentType =>
  (typeof type === 'string' ? TYPES[type] : undefined) ?? 'other'
