import type { Client } from '@carabiner/sdk'
import { withSession } from '../../../api/installation.ts'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'

/** The keys of an organization are the same in both modes. The API shows them in production mode only. */
const mode = 'production'

export const useApiKeys = () =>
  useApiQuery(['api-keys'], (api, options) => api.apiKeys.list(options), { mode })

export const useApiKeyChange = <Input, Result>(
  run: (api: Client, input: Input) => Promise<Result>,
  onSuccess: (result: Result) => void,
) =>
  useApiMutation((api, input: Input) => withSession(() => run(api, input)), {
    invalidates: [['api-keys']],
    onSuccess,
    mode,
  })
