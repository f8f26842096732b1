import type { McpRequest } from '../mcp/mcp-endpoint.ts'

/** `_meta` carries progress tokens and the client's own data, which differ between runs. */
export const withoutMeta = (params: Record<string, unknown>): Record<string, unknown> => {
  const { _meta, ...rest } = params
  // The two revisions of the protocol differ in whether they send an empty object.
  return Object.keys((rest['arguments'] ?? { some: true }) as object).length === 0 ? without(rest) : rest
}

const without = ({ arguments: _empty, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

/** Two requests with the same key are the same call: the order of properties has no meaning. */
export const tapeKey = ({ method, params }: McpRequest): string =>
  `${method} ${JSON.stringify(sorted(withoutMeta(params)))}`

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  )
}
