import { useApiQuery } from './use-api-query.ts'

/** The catalog and the organization's own servers. Both modes share them. */
export const useConnectors = ({ isComplete = false } = {}) =>
  useApiQuery(
    ['connectors', 'list', isComplete],
    (api, options) => api.connectors.list(isComplete ? { include: 'not_configured' } : {}, options),
    { mode: 'production' },
  )

/** Returns the name of a connector by its slug, or the slug of one that does not exist any more. */
export const useConnectorName = (): ((slug: string) => string) => {
  const { data: connectors = [] } = useConnectors({ isComplete: true })
  return slug => connectors.find(connector => connector.slug === slug)?.name ?? slug
}

/** The connectors whose accounts can be linked for a Tool Pack. */
export const useLinkableConnectors = (packId: string | undefined) =>
  useApiQuery(
    ['connectors', 'linkable', packId],
    (api, options) => api.connectors.list({ linkable_in: packId as string }, options),
    { mode: 'production', enabled: packId !== undefined },
  )

export const useConnectorTools = (slug: string, { enabled = true } = {}) =>
  useApiQuery(['connectors', 'tools', slug], (api, options) => api.mcpConnectors.tools(slug, options), {
    mode: 'production',
    enabled,
  })

/** Tools of all connectors that match the text, in one request. */
export const useFoundTools = (text: string) =>
  useApiQuery(
    ['connectors', 'found-tools', text],
    (api, options) => api.connectors.searchTools(text, options),
    {
      mode: 'production',
      enabled: text.length >= MIN_SEARCH,
      keepPrevious: text.length >= MIN_SEARCH,
    },
  )
/** The API requires it. */
const MIN_SEARCH = 2

/** "12 tools" */
export const countTools = (count: number): string => (count === 1 ? '1 tool' : `${count} tools`)
