import { hash } from 'node:crypto'
import type { Database } from '../../platform/database/database.ts'
import { type CommittedEvent, readFeed, type StoredEvent } from '../events/event-feed.ts'
import { toEvent } from '../events/to-event.ts'
import { deliveryStore, type NewDelivery } from './delivery-store.ts'
import { fanOutStore, type Subscription } from './fan-out-store.ts'

/** Events of one transaction. Events that were written together may exceed it. */
const PAGE = 500
const MAX_ORGANIZATIONS = 100

/** Turns new events of all organizations into deliveries. Returns whether there may be more. */
export const fanOutAll = async (db: Database): Promise<boolean> => {
  const behind = await fanOutStore.behind(db, MAX_ORGANIZATIONS)
  for (const organizationId of behind) await fanOut(db, organizationId)
  return behind.length > 0
}

/**
 * Reads the next events of an organization and stores their deliveries, in one transaction with the position. Nothing is skipped or
 * done twice, wherever it is interrupted.
 */
export const fanOut = (db: Database, organizationId: string): Promise<void> =>
  db.transaction(async tx => {
    const reached = await fanOutStore.lockPosition(tx, organizationId)
    if (!reached) return
    const { position, since } = reached
    const { events, next } = await readFeed(tx, organizationId, { after: position, since, limit: PAGE })
    const subscriptions = await fanOutStore.subscriptions(tx, organizationId)
    const deliveries = events.flatMap(event => deliveriesOf(organizationId, event, subscriptions))
    if (deliveries.length > 0) await deliveryStore.insert(tx, organizationId, deliveries)
    await fanOutStore.advance(tx, organizationId, next)
  })

export const deliveriesOf = (
  organizationId: string,
  event: CommittedEvent,
  subscriptions: readonly Subscription[],
): NewDelivery[] =>
  subscriptions
    .filter(
      subscription => wants(subscription, event) && BigInt(event.committedIn) > BigInt(subscription.startsIn),
    )
    .map(subscription => deliveryOf(organizationId, event, subscription))

export const wants = (
  { mode, eventTypes }: Pick<Subscription, 'mode' | 'eventTypes'>,
  event: StoredEvent,
): boolean =>
  (event.mode === null || event.mode === mode) && (eventTypes === null || eventTypes.includes(event.type))

export const deliveryOf = (
  organizationId: string,
  event: StoredEvent,
  { id, mode }: Pick<Subscription, 'id' | 'mode'>,
): NewDelivery => ({
  id: deliveryIdOf(id, event.id),
  endpointId: id,
  eventId: event.id,
  type: event.type,
  registeredUserId: event.registeredUserId,
  sequence: event.sequence,
  body: JSON.stringify(toEvent(organizationId, mode, event)),
  occurredAt: event.occurredAt,
})

/** The same for the same event and endpoint, so that the event is delivered once even if it is read again. */
export const deliveryIdOf = (endpointId: string, eventId: string): string => {
  const bytes = hash('sha256', `${endpointId}.${eventId}`, 'buffer')
  // RFC 9562 version 8.
  bytes[6] = 0x80 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
