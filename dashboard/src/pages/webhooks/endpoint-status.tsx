import type { WebhookDelivery, WebhookEndpoint } from '@carabiner/sdk'
import { Badge, type Tone } from '../../ui/data/badge.tsx'

const ENDPOINTS: Record<WebhookEndpoint['status'], { label: string; tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  paused: { label: 'Paused', tone: 'warn' },
  disabled: { label: 'Disabled', tone: 'bad' },
}
const DELIVERIES: Record<WebhookDelivery['status'], { label: string; tone: Tone }> = {
  delivered: { label: 'Delivered', tone: 'good' },
  pending: { label: 'Pending', tone: 'info' },
  failed: { label: 'Failed', tone: 'bad' },
}

export const EndpointStatus = ({ status }: Pick<WebhookEndpoint, 'status'>) => (
  <Badge tone={ENDPOINTS[status].tone}>{ENDPOINTS[status].label}</Badge>
)

export const DeliveryStatusBadge = ({ status }: Pick<WebhookDelivery, 'status'>) => (
  <Badge tone={DELIVERIES[status].tone}>{DELIVERIES[status].label}</Badge>
)
