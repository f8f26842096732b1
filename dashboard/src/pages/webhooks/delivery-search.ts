export const DELIVERY_STATUSES = ['all', 'failed', 'pending', 'delivered'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** `delivery`: the open delivery. */
export type DeliverySearch = { status?: DeliveryStatus; delivery?: string }
