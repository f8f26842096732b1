import { BYTES_PER_TOKEN } from '@carabiner/contract'
import type { ListedTool } from '../../../server/src/features/tools/listing/listed-tool.ts'
import { ownTools } from '../../../server/src/features/tools/listing/own-tools.ts'
import { searchLimits } from '../../../server/src/features/tools/listing/search-tools-tool.ts'
import { findTools } from '../../../server/src/features/tools/search/find-tools.ts'
import type { SearchedPack } from './catalog-tools.ts'
import type { LabelledRequest } from './request-sets.ts'

export type Quality = {
  requests: number
  /** Share of the requests with an acceptable tool among the first 1, 5 and 10. */
  recallAt: Record<1 | 5 | 10, number>
  missed: LabelledRequest[]
}

export const measureQuality = async (pack: SearchedPack, requests: LabelledRequest[]): Promise<Quality> => {
  const ranks = await Promise.all(
    requests.map(async ({ request, tools }) => {
      const found = await findTools(pack, pack.tools, { query: request, connector: null, limit: 10 })
      return found.findIndex(({ name }) => tools.includes(name))
    }),
  )
  const recall = (count: number): number =>
    ranks.filter(rank => rank !== -1 && rank < count).length / requests.length
  return {
    requests: requests.length,
    recallAt: { 1: recall(1), 5: recall(5), 10: recall(10) },
    missed: requests.filter((_, index) => ranks[index] === -1 || (ranks[index] as number) >= 5),
  }
}

const tokensOf = (tools: ListedTool[]): number =>
  Math.round(tools.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0) / BYTES_PER_TOKEN)

export type Tokens = { list: number; search: number; perSearch: number }

/** Estimated tokens of the whole list, of the list of a search, and of an average result of a search. */
export const measureTokens = async (pack: SearchedPack, requests: LabelledRequest[]): Promise<Tokens> => {
  const settings = {
    packResultHandles: false,
    packExplainAccess: false,
    packRenewalNotices: false,
    packServing: 'search',
  } as const
  let found = 0
  for (const { request } of requests)
    found += tokensOf(
      await findTools(pack, pack.tools, { query: request, connector: null, limit: searchLimits.default }),
    )
  return {
    list: tokensOf(pack.tools),
    search: tokensOf(ownTools(settings)),
    perSearch: Math.round(found / requests.length),
  }
}

/** Median milliseconds of a search. */
export const measureTime = async (pack: SearchedPack, requests: LabelledRequest[]): Promise<number> => {
  const times: number[] = []
  for (const { request } of requests) {
    const startedAt = performance.now()
    await findTools(pack, pack.tools, { query: request, connector: null, limit: searchLimits.default })
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number
}
