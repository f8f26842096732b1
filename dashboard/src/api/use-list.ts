import type { CallOptions, CarabinerError, Client, Page, Pages } from '@carabiner/sdk'
import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import type { Mode } from './session.ts'
import { useApi } from './use-api.ts'

export type List<T> = {
  /** The rows that are in memory. */
  rows: T[]
  /** Index of the first of them in the list. */
  firstIndex: number
  /** Loads the row at an index before the first one again. */
  loadIndex: (index: number) => void
  isPending: boolean
  /** The first page could not be loaded. */
  error: CarabinerError | null
  /** A later page could not be loaded; `loadMore` tries again. */
  moreError: CarabinerError | null
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  reload: () => void
}

/** The position of a page. Positions before it stay known, so that a page that was released can be loaded again. */
type Position = { cursor: string | undefined; start: number; previous: Position | null }
const TOP: Position = { cursor: undefined, start: 0, previous: null }
/** Pages in memory. Those that are farthest from the screen are released first. */
const MAX_PAGES = 8

type Options<T> = {
  enabled?: boolean
  mode?: Mode
  /** In milliseconds, from the rows in memory; false: not again. */
  refetchInterval?: (rows: T[]) => number | false
}

/** Loads a list of the API page by page, by its cursor. `key` must contain every filter. */
export const useList = <T>(
  key: readonly unknown[],
  list: (api: Client, options: CallOptions) => Pages<T>,
  { enabled = true, mode, refetchInterval }: Options<T> = {},
): List<T> => {
  const { api, scopeKey } = useApi(mode)
  const queryClient = useQueryClient()
  const queryKey = [...scopeKey, ...key]
  const query = useInfiniteQuery<
    Page<T>,
    CarabinerError,
    InfiniteData<Page<T>, Position>,
    unknown[],
    Position
  >({
    queryKey,
    queryFn: ({ pageParam, signal }) => list(api, { signal }).page(pageParam.cursor),
    initialPageParam: TOP,
    getNextPageParam: (page, _pages, position) =>
      page.next_cursor === null
        ? undefined
        : { cursor: page.next_cursor, start: position.start + page.data.length, previous: position },
    getPreviousPageParam: (_page, _pages, position) => position.previous,
    maxPages: MAX_PAGES,
    placeholderData: keepPreviousData,
    // The comparison would read all loaded rows again for every page.
    structuralSharing: false,
    enabled,
    ...(refetchInterval && {
      refetchInterval: ({ state }) => refetchInterval(state.data?.pages.flatMap(page => page.data) ?? []),
    }),
  })
  const { data, isFetching, fetchPreviousPage } = query
  const isSeeking = useRef(false)
  const loadIndex = (index: number): void => {
    const first = data?.pageParams[0]
    if (!first?.previous || isFetching || isSeeking.current) return
    if (index >= first.previous.start) return void fetchPreviousPage()
    let position = first.previous
    while (position.previous && position.start > index) position = position.previous
    // The pages between are not needed, so the list continues from this one.
    isSeeking.current = true
    list(api, {})
      .page(position.cursor)
      .then(page => queryClient.setQueryData(queryKey, { pages: [page], pageParams: [position] }))
      .catch(() => undefined)
      .finally(() => {
        isSeeking.current = false
      })
  }
  return { ...useRows(query), firstIndex: data?.pageParams[0]?.start ?? 0, loadIndex }
}

/** The rows of all pages that were loaded. */
export const useRows = <T>(
  query: UseInfiniteQueryResult<InfiniteData<{ data: T[] }>, CarabinerError>,
): List<T> => {
  const { data, error, isFetchNextPageError, fetchNextPage, refetch } = query
  const rows = useMemo(() => data?.pages.flatMap(page => page.data) ?? [], [data])
  return {
    rows,
    firstIndex: 0,
    loadIndex: () => undefined,
    isPending: query.isPending,
    error: data ? null : error,
    moreError: isFetchNextPageError ? error : null,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
    reload: () => void refetch(),
  }
}
