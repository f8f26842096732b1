/** Loads no schemas, so that the command line can use it at its start. */
export const callOutcomes = [
  'success',
  'replayed',
  'error',
  'needs_auth',
  'approval_required',
  'blocked',
  'limited',
  'unknown',
  'withheld',
] as const
export type CallOutcome = (typeof callOutcomes)[number]
