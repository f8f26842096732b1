import type { CallOptions, CarabinerError, Client } from '@carabiner/sdk'
import {
  keepPreviousData,
  type Query,
  type QueryClient,
  queryOptions,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query'
import { clientFor, type Scope } from './client.ts'
import type { Mode } from './session.ts'
import { useScope } from './use-api.ts'

type Load<T> = (api: Client, options: CallOptions) => Promise<T>
type Options<T> = {
  enabled?: boolean
  /** In milliseconds; false: not again. */
  refetchInterval?: number | ((query: Query<T, CarabinerError>) => number | false)
  keepPrevious?: boolean
  mode?: Mode
}

/** A query that a route starts before its page renders. */
export type ApiQuery<T> = { key: readonly unknown[]; load: Load<T> }

const queryOf = <T>({ organization, mode }: Scope, { key, load }: ApiQuery<T>) =>
  queryOptions<T, CarabinerError>({
    queryKey: [organization, mode, ...key],
    queryFn: ({ signal }) => load(clientFor({ organization, mode }), { signal }),
  })

/** Loads one resource of the current organization and mode. `key` identifies it in the cache. */
export const useApiQuery = <T>(
  key: readonly unknown[],
  load: Load<T>,
  { keepPrevious = false, mode, ...options }: Options<T> = {},
): UseQueryResult<T, CarabinerError> => {
  const scope = useScope()
  return useQuery({
    ...queryOf({ ...scope, mode: mode ?? scope.mode }, { key, load }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...options,
  })
}

/** Starts a query without waiting for it. The page shows its error, if any. */
export const prefetchApi = <T>(queryClient: QueryClient, scope: Scope, query: ApiQuery<T>): void =>
  void queryClient.prefetchQuery(queryOf(scope, query))
