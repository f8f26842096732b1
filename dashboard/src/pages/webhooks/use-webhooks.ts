import type { Client } from '@carabiner/sdk'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useList } from '../../api/use-list.ts'
import type { DeliveryStatus } from './delivery-search.ts'

export const useEndpoints = () =>
  useList(['webhooks', 'list'], (api, options) => api.webhookEndpoints.list({}, options))

export const useEndpoint = (id: string) =>
  useApiQuery(['webhooks', 'one', id], (api, options) => api.webhookEndpoints.get(id, options))

export const useDeliveries = (status: DeliveryStatus, endpointId?: string) =>
  useList(['webhooks', 'deliveries', endpointId, status], (api, options) => {
    const filter = status === 'all' ? {} : { status }
    return endpointId === undefined
      ? api.webhookDeliveries.list(filter, options)
      : api.webhookEndpoints.deliveries(endpointId, filter, options)
  })

export const useDelivery = (id: string) =>
  useApiQuery(['webhooks', 'delivery', id], (api, options) => api.webhookDeliveries.get(id, options))

export const useWebhookChange = <Input, Result>(
  run: (api: Client, input: Input) => Promise<Result>,
  onSuccess?: (result: Result) => void,
) => useApiMutation(run, { invalidates: [['webhooks']], ...(onSuccess && { onSuccess }) })
