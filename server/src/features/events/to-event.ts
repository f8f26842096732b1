import type { WebhookEvent } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import type { StoredEvent } from './event-feed-store.ts'

/** An event that concerns both modes is shown in the mode of its reader. */
export const toEvent = (organizationId: string, mode: Mode, stored: StoredEvent): WebhookEvent =>
  ({
    id: eventIdOf(stored.id),
    type: stored.type,
    occurred_at: stored.occurredAt.toISOString(),
    mode,
    organization_id: organizationId,
    registered_user_id: stored.registeredUserId,
    sequence: stored.sequence,
    data: stored.data,
  }) as WebhookEvent

export const eventIdOf = (id: string): string => `evt_${id}`
