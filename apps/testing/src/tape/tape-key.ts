import type { McpRequest } from '../mcp/mcp-endpoint.ts'

/** `_meta` carries progress tokens and the client's own data, which differ between runs. */
export const withoutMeta = (params: Record<string, unknown>): Record<string, unknown> => {
  const { _meta, ...rest } = params
  const { arguments: args, ...others } = rest
  // Some clients send an empty object, others nothing.
  return isEmpty(args) ? others : rest
}

const isEmpty = (args: unknown): boolean =>
  args === undefined || (args !== null && typeof args === 'object' && Object.keys(args).length === 0)

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
