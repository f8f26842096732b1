/** §2 of the callback: in authorization code mode `state` comes with every status, `code` only with success. */
export type Callback =
  | { status: 'success'; code: string; state: string }
  | { status: 'error' | 'exit'; state: string }
/** Of a link that was minted without `state`: nothing proves who started it, and there is nothing to redeem. */
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
  invalid_url: 'This is not an address.',
  parameter_repeated:
    'A parameter of the callback appears twice. Do not put status, code or state in callback_url.',
  status_missing: 'The callback has no status: it does not come from Carabiner.',
  status_unknown: 'The status of the callback is none of success, error and exit.',
  state_missing: 'The callback has no state: it was not started with the state that you expect.',
  state_mismatch: 'The state is another one: somebody else started this. Do not redeem the code.',
  state_unexpected: 'The callback has a state where none is expected. Give the one that you minted with.',
  code_missing: 'The callback tells of success and has no code.',
  code_unexpected: 'The callback has a code that does not belong there. Do not redeem it.',
}

/** Nothing of it may be acted on: end the attempt, and mint a fresh link token to start over. */
export class CallbackError extends Error {
  readonly code: CallbackErrorCode

  constructor(code: CallbackErrorCode) {
    super(MESSAGES[code])
    this.name = 'CallbackError'
    this.code = code
  }
}

/**
 * What came back at your `callback_url`, once it is certain that it belongs to the person who started: `expectedState` is the
 * `state` you minted with, out of that person's own session. `null` says aloud that the link was minted without one.
 */
export function readCallback(url: string | URL, expectedState: string): Callback
export function readCallback(url: string | URL, expectedState: null): StatelessCallback
export function readCallback(url: string | URL, expectedState: string | null): Callback | StatelessCallback {
  // A session that has lost its state must not count as one that never had any.
  if (expectedState !== null && (typeof expectedState !== 'string' || expectedState === ''))
    throw new TypeError('expectedState is missing: give the state that the link token was minted with.')
  const query = readQuery(url)
  const state = only(query, 'state')
  const code = only(query, 'code')
  const status = only(query, 'status')

  if (expectedState === null) {
    if (state !== undefined) throw new CallbackError('state_unexpected')
    if (code !== undefined) throw new CallbackError('code_unexpected')
    return { status: readStatus(status) }
  }
  if (state === undefined) throw new CallbackError('state_missing')
  if (!isSame(state, expectedState)) throw new CallbackError('state_mismatch')
  const outcome = readStatus(status)
  if (outcome !== 'success') {
    if (code !== undefined) throw new CallbackError('code_unexpected')
    return { status: outcome, state }
  }
  if (!code) throw new CallbackError('code_missing')
  return { status: outcome, code, state }
}

/** A server knows only the path that it was asked for; the rest of the address does not matter here. */
const readQuery = (url: string | URL): URLSearchParams => {
  if (!URL.canParse(String(url), 'https://callback.invalid')) throw new CallbackError('invalid_url')
  return new URL(url, 'https://callback.invalid').searchParams
}

const only = (query: URLSearchParams, name: string): string | undefined => {
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

/** Takes as long for a wrong first character as for a wrong last one. */
const isSame = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  for (let n = 0; n < expected.length; n++) difference |= given.charCodeAt(n) ^ expected.charCodeAt(n)
  return difference === 0
}
