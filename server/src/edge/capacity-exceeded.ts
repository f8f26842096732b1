import { Refusal } from '../core/refusal.ts'
import type { IsolatedError } from '../platform/isolation/isolated-error.ts'

const RETRY_AFTER_SECONDS = 2

/** Too many tasks of the organization are queued for a worker. */
export const capacityExceeded = (cause: IsolatedError): Refusal =>
  new Refusal('check_capacity_exceeded', { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS, cause })
