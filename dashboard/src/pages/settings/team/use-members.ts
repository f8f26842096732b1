import type { Client } from '@carabiner/sdk'
import { withSession } from '../../../api/installation.ts'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'

const mode = 'production'

export const useMembers = () =>
  useApiQuery(['members'], (api, options) => api.members.list(options), { mode })

export const useMemberChange = <Input, Result>(
  run: (api: Client, input: Input) => Promise<Result>,
  onSuccess: (result: Result) => void,
) =>
  useApiMutation((api, input: Input) => withSession(() => run(api, input)), {
    invalidates: [['members']],
    onSuccess,
    mode,
  })
