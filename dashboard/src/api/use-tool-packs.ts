import type { Client, ToolPack, ToolPackTools } from '@carabiner/sdk'
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
