import type { CarabinerError, Client } from '@carabiner/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Mode } from './session.ts'
import { useApi } from './use-api.ts'

type Options<Input, Result> = {
  /** First parts of the query keys to reload after success. */
  invalidates?: readonly (readonly unknown[])[]
  onSuccess?: (result: Result, input: Input) => void
  mode?: Mode
}

/** A change through the API. */
export const useApiMutation = <Input, Result>(
  run: (api: Client, input: Input) => Promise<Result>,
  { invalidates = [], onSuccess, mode }: Options<Input, Result> = {},
) => {
  const { api, scopeKey } = useApi(mode)
  const queryClient = useQueryClient()
  return useMutation<Result, CarabinerError, Input>({
    mutationFn: input => run(api, input),
    onSuccess: async (result, input) => {
      await Promise.all(
        invalidates.map(key => queryClient.invalidateQueries({ queryKey: [...scopeKey, ...key] })),
      )
      onSuccess?.(result, input)
    },
  })
}
