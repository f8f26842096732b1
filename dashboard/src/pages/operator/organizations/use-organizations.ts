import type { InstalledOrganization } from '@carabiner/contract'
import type { CarabinerError } from '@carabiner/sdk'
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { fetchOrganization, fetchOrganizations, type PageOf } from '../../../api/installation.ts'
import { type List, useRows } from '../../../api/use-list.ts'
import type { StateFilter } from './states.ts'

const KEY = ['installation', 'organizations'] as const

export const useOrganizations = (
  search: string | undefined,
  state: StateFilter | undefined,
): List<InstalledOrganization> =>
  useRows(
    useInfiniteQuery<PageOf<InstalledOrganization>, CarabinerError>({
      queryKey: [...KEY, 'list', search, state],
      queryFn: ({ pageParam, signal }) =>
        fetchOrganizations({
          cursor: pageParam as string | undefined,
          search,
          state: state === 'all' ? undefined : state,
          signal,
        }),
      initialPageParam: undefined,
      getNextPageParam: page => page.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  )

export const useOrganization = (id: string) =>
  useQuery<InstalledOrganization, CarabinerError>({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => fetchOrganization(id, signal),
  })

/** The session contains the organizations of the person, so it is loaded again as well. */
export const useReloadOrganizations = () => {
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: KEY }),
      queryClient.invalidateQueries({ queryKey: ['session'] }),
    ])
}

export const useOrganizationChange = <Input, Result>(
  run: (input: Input) => Promise<Result>,
  onSuccess: (result: Result) => void,
) => {
  const reload = useReloadOrganizations()
  return useMutation<Result, CarabinerError, Input>({
    mutationFn: run,
    onSuccess: async result => {
      await reload()
      onSuccess(result)
    },
  })
}
