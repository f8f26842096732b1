/** In authorization code mode every callback has `state`; only success has `code` (§2). */
export type Callback =
  | { status: 'success'; code: string; state: string }
  | { status: 'error' | 'exit'; state: string }
/** Callback of a link without `state`. Nothing proves who started it, and there is no code to redeem. */
export type StatelessCallback = { status: 'success' | 'error' | 'exit' }

export type CallbackErrorCode =
  | 'invalid_url'
  | 'parameter_repeated'
  | 'status_missing'
  | 'status_unknown'
  | 'state_missing'
  | 'state_mismatch'
  | 'state_unexpected'
  | 'code_missing'
  | 'code_unexpected'

const MESSAGES: Record<CallbackErrorCode, string> = {
  invalid_url: 'The callback URL is invalid.',
  parameter_repeated:
    'The callback has a duplicate parameter. callback_url must not contain status, code or state.',
  status_missing: 'The callback has no status, so it was not sent by Carabiner.',
  status_unknown: 'The status of the callback must be success, error or exit.',
  state_missing: 'The callback has no state, but one is expected.',
  state_mismatch:
    'The state does not match: another user may have started this link. Do not redeem the code.',
  state_unexpected:
    'The callback has a state, but none is expected. Pass the state that the link token was created with.',
  code_missing: 'The callback has status success but no code.',
  code_unexpected: 'The callback has an unexpected code. Do not redeem it.',
}

/** The callback must not be trusted. End the attempt and create a new link token to start over. */
export class CallbackError extends Error {
  readonly code: CallbackErrorCode

  constructor(code: CallbackErrorCode) {
    super(MESSAGES[code])
    this.name = 'CallbackError'
    this.code = code
  }
}

/**
 * Parses and verifies the callback. `expectedState` is the `state` that the link token was created with; read it from the
 * session of the signed-in user. Pass `null` only if the link token was created without `state`.
 */
export function readCallback(url: string | URL, expectedState: string): Callback
export function readCallback(url: string | URL, expectedState: null): StatelessCallback
export function readCallback(url: string | URL, expectedState: string | null): Callback | StatelessCallback {
  // A missing value, for example from an expired session, must not disable the check.
  if (expectedState !== null && (typeof expectedState !== 'string' || expectedState === ''))
    throw new TypeError('expectedState is missing. Pass the state that the link token was created with.')
  const query = readQuery(url)
  const state = single(query, 'state')
  const code = single(query, 'code')
  const status = single(query, 'status')

  if (expectedState === null) {
    if (state !== undefined) throw new CallbackError('state_unexpected')
    if (code !== undefined) throw new CallbackError('code_unexpected')
    return { status: readStatus(status) }
  }
  if (state === undefined) throw new CallbackError('state_missing')
  if (!isEqual(state, expectedState)) throw new CallbackError('state_mismatch')
  const outcome = readStatus(status)
  if (outcome !== 'success') {
    if (code !== undefined) throw new CallbackError('code_unexpected')
    return { status: outcome, state }
  }
  if (!code) throw new CallbackError('code_missing')
  return { status: outcome, code, state }
}

/** A server may have only the path of the request, so the origin is a placeholder. */
const readQuery = (url: string | URL): URLSearchParams => {
  if (!URL.canParse(String(url), 'https://callback.invalid')) throw new CallbackError('invalid_url')
  return new URL(url, 'https://callback.invalid').searchParams
}

const single = (query: URLSearchParams, name: string): string | undefined => {
  const [value, another] = query.getAll(name)
  if (another !== undefined) throw new CallbackError('parameter_repeated')
  return value
}

const readStatus = (status: string | undefined): 'success' | 'error' | 'exit' => {
  if (status === undefined) throw new CallbackError('status_missing')
  if (status !== 'success' && status !== 'error' && status !== 'exit')
    throw new CallbackError('status_unknown')
  return status
}

/** Compares in constant time. */
const isEqual = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  for (let n = 0; n < expected.length; n++) difference |= given.charCodeAt(n) ^ expected.charCodeAt(n)
  return difference === 0
}
