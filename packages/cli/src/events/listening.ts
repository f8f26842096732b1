/** For programs that show events or forward them to a receiver. */
export { describeEvent } from './describe-event.ts'
export { readEventTypes } from './event-types.ts'
export { followEvents } from './follow-events.ts'
export { createSecret, forwardWebhook, readReceiverUrl } from './forward-webhook.ts'
