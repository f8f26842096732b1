import type { Revision } from './revision.ts'
import { revision20250618 } from './revision-2025-06-18.ts'

/** Introduced elicitation with a URL, which a call requests with an error. */
export const revision20251125: Revision = {
  ...revision20250618,
  name: '2025-11-25',
  urlElicitation: 'error',
}
