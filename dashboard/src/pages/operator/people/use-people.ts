import type { InstalledPerson } from '@carabiner/contract'
import type { CarabinerError } from '@carabiner/sdk'
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { fetchPeople, type PageOf } from '../../../api/installation.ts'
import { type List, useRows } from '../../../api/use-list.ts'

const KEY = ['installation', 'people'] as const

export const usePeople = (search: string | undefined): List<InstalledPerson> =>
  useRows(
    useInfiniteQuery<PageOf<InstalledPerson>, CarabinerError>({
      queryKey: [...KEY, search],
      queryFn: ({ pageParam, signal }) =>
        fetchPeople({ cursor: pageParam as string | undefined, search, signal }),
      initialPageParam: undefined,
      getNextPageParam: page => page.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  )

export const usePersonChange = (run: () => Promise<InstalledPerson>, onSuccess: () => void) => {
  const queryClient = useQueryClient()
  return useMutation<InstalledPerson, CarabinerError>({
    mutationFn: run,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: KEY })
      onSuccess()
    },
  })
}
