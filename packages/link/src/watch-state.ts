import { later } from './later.ts'
import { request } from './request.ts'
import type { LinkState } from './types.ts'

const POLL_INTERVAL_MS = 2_000
const RESPONSE_TIMEOUT_MS = 5_000
const MAX_FAILURES = 3

/** True for completed, expired and ended. Only final statuses end in "ed", which keeps the bundle small. */
export const isFinal = (state?: LinkState): boolean => !!state?.status.endsWith('ed')

/** Returns the current state of the session, or null if it cannot be fetched. */
export const fetchState = (url: string, signal: AbortSignal): Promise<LinkState | null> =>
  request(`${url}/events`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
  })
    .then(response => (response.ok ? (response.json() as Promise<LinkState>) : null))
    .catch(() => null)

/**
 * Reports every state up to a final one. The event stream of the service is the only source: providers may sever the popup's
 * opener, after which neither messages nor `closed` are reliable. If a proxy breaks or buffers the stream, it polls every two
 * seconds instead.
 */
export const watchState = (
  url: string,
  until: number,
  onState: (state: LinkState) => void,
  signal: AbortSignal,
): void => {
  const source = new EventSource(`${url}/events`)
  let failures = 0
  let isStreamChecked = false

  const receive = (state: LinkState): void => {
    isStreamChecked = true
    failures = 0
    if (isFinal(state)) {
      source.close()
      until = 0
    }
    onState(state)
  }
  const poll = async (): Promise<void> => {
    const state = await fetchState(url, signal)
    if (signal.aborted) return
    if (state) receive(state)
    if (Date.now() < until) later(POLL_INTERVAL_MS, () => void poll(), signal)
  }
  const switchToPolling = (): void => {
    isStreamChecked = true
    source.close()
    void poll()
  }

  source.addEventListener('state', event => receive(JSON.parse(event.data as string) as LinkState))
  source.addEventListener('error', () => {
    if (source.readyState === 2 || ++failures >= MAX_FAILURES) switchToPolling()
  })
  // The stream sends its first state immediately unless a proxy buffers it.
  later(RESPONSE_TIMEOUT_MS, () => isStreamChecked || switchToPolling(), signal)
  signal.addEventListener('abort', () => source.close())
}
