import type { Revision } from './revision.ts'

export const revision20250326: Revision = {
  name: '2025-03-26',
  hasSessions: true,
  takesBatches: true,
  unknownMethodStatus: 200,
  cancelsOnDisconnect: false,
  notifiesInResponses: true,
  urlElicitation: null,
  listFields: {},
  wrapResult: result => result,
  wrapJson: json => json,
}
