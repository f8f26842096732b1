import type { Revision } from './revision.ts'
import { revision20251125 } from './revision-2025-11-25.ts'

/** Replaced sessions by requests that describe their client themselves. Every result carries its type and the server's info. */
export const revision20260728: Revision = {
  ...revision20251125,
  name: '2026-07-28',
  hasSessions: false,
  unknownMethodStatus: 404,
  cancelsOnDisconnect: true,
  notifiesInResponses: false,
  urlElicitation: 'input_required',
  // Private to the caller, and outdated as soon as something changes.
  listFields: { ttlMs: 0, cacheScope: 'private' },
  wrapResult: (result, meta) => ({ resultType: 'complete', ...result, _meta: meta }),
  wrapJson: (json, meta) => `{"resultType":"complete",${json.slice(1, -1)},"_meta":${JSON.stringify(meta)}}`,
}
