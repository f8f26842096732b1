import type { CarabinerError } from '@carabiner/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { fetchIdentities, fetchPasskeys, fetchSessions } from '../../../api/account.ts'

export const useSessions = () => useQuery({ queryKey: ['account', 'sessions'], queryFn: fetchSessions })
export const useIdentities = () => useQuery({ queryKey: ['account', 'identities'], queryFn: fetchIdentities })
export const usePasskeys = () => useQuery({ queryKey: ['account', 'passkeys'], queryFn: fetchPasskeys })

/** A change of the person's own account. The session, which has name and second factor, is read again. */
export const useAccountChange = <Input, Result>(
  run: (input: Input) => Promise<Result>,
  onSuccess?: (result: Result, input: Input) => void,
) => {
  const queryClient = useQueryClient()
  return useMutation<Result, CarabinerError, Input>({
    mutationFn: run,
    onSuccess: async (result, input) => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['account'] }),
        queryClient.invalidateQueries({ queryKey: ['session'] }),
      ])
      onSuccess?.(result, input)
    },
  })
}
