import type { Client, ToolPack, ToolPackTools } from '@carabiner/sdk'
import { useApiMutation } from './use-api-mutation.ts'
import { useApiQuery } from './use-api-query.ts'

/** Both modes share the packs. */
const SHARED = { mode: 'production' } as const

/** An organization has at most 100 packs. */
export const useToolPacks = () =>
  useApiQuery(
    ['tool-packs', 'list'],
    async (api, options): Promise<ToolPack[]> =>
      (await api.toolPacks.list({ limit: 100 }, options).page()).data,
    SHARED,
  )

export const useToolPack = (id: string) =>
  useApiQuery(['tool-packs', 'one', id], (api, options) => api.toolPacks.get(id, options), SHARED)

export type PackTool = ToolPackTools['data'][number]

/** Enough for every list that a model can use; the totals are those of the whole pack. */
const MAX_TOOLS = 500

/** The tools of a pack as a model sees them. */
export const usePackTools = (id: string | undefined) =>
  useApiQuery(['tool-packs', 'tools', id ?? ''], (api, options) => loadTools(api, id as string, options), {
    ...SHARED,
    enabled: id !== undefined,
  })

const loadTools = async (
  api: Client,
  id: string,
  options: { signal?: AbortSignal },
): Promise<ToolPackTools> => {
  const data: PackTool[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await api.toolPacks.tools(id, { limit: 100, ...(cursor && { cursor }) }, options)
    data.push(...page.data)
    if (page.next_cursor === null || data.length >= MAX_TOOLS) return { ...page, data }
    cursor = page.next_cursor
  }
}

/** What other tools of the pack would cost a model. The last estimate stays until the next one is known. */
export const usePackEstimate = (id: string, connectors: ToolPack['connectors'], enabled: boolean) =>
  useApiQuery(
    ['tool-packs', 'estimate', id, connectors],
    (api, options) => api.toolPacks.estimate(id, connectors === null ? {} : { connectors }, options),
    { ...SHARED, enabled, keepPrevious: enabled },
  )

/** Adds a connector with all its tools to a pack that lists its connectors. */
export const useAddToPack = () =>
  useApiMutation(
    async (api, { packId, slug }: { packId: string; slug: string }) => {
      // The list may have changed since it was loaded.
      const pack = await api.toolPacks.get(packId)
      if (pack.connectors === null) return pack
      const others = pack.connectors.filter(each => each.slug !== slug)
      return api.toolPacks.update(packId, { connectors: [...others, { slug, tools: null }] })
    },
    { ...SHARED, invalidates: [['tool-packs'], ['connectors', 'linkable']] },
  )
