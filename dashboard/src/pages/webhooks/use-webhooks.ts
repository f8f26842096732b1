import type { Client } from '@carabiner/sdk'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useList } from '../../api/use-list.ts'
import type { DeliveryStatus } from './routes.ts'

export const useEndpoints = () =>
  useList(['webhooks', 'list'], (api, options) => api.webhookEndpoints.list({}, options))

export const useEndpoint = (id: string) =>
  useApiQuery(['webhooks', 'one', id], (api, options) => api.webhookEndpoints.get(id, options))

export const useDeliveries = (id: string, status: DeliveryStatus) =>
  useList(['webhooks', 'deliveries', id, status], (api, options) =>
    api.webhookEndpoints.deliveries(id, status === 'all' ? {} : { status }, options),
  )

export const useWebhookChange = <Input, Result>(
  run: (api: Client, input: Input) => Promise<Result>,
  onSuccess?: (result: Result) => void,
) => useApiMutation(run, { invalidates: [['webhooks']], ...(onSuccess && { onSuccess }) })
