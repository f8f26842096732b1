import type { Revision } from './revision.ts'
import { revision20250326 } from './revision-2025-03-26.ts'

/** Removed batches, and introduced the header with the revision. */
export const revision20250618: Revision = {
  ...revision20250326,
  name: '2025-06-18',
  takesBatches: false,
}
