import { later } from './later.ts'
import { request } from './request.ts'
import type { LinkState } from './types.ts'

const POLL_EVERY = 2_000
const ANSWER_WITHIN = 5_000
const MOST_FAILURES = 3

/** Completed, expired or ended: the other two states do not end like this. */
export const isFinal = (state?: LinkState): boolean => !!state?.status.endsWith('ed')

/** How the session stands right now, where that can be learned. */
export const askOutcome = (url: string, signal: AbortSignal): Promise<LinkState | null> =>
  request(`${url}/events`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN)]),
  })
    .then(response => (response.ok ? (response.json() as Promise<LinkState>) : null))
    .catch(() => null)

/**
 * Tells every state until a final one. Only the service's own stream is believed: third parties sever a popup's opener, and
 * then neither messages nor `closed` mean anything. Where something in between breaks or holds back the stream, it asks
 * every two seconds instead.
 */
export const watchOutcome = (
  url: string,
  until: number,
  tell: (state: LinkState) => void,
  signal: AbortSignal,
): void => {
  const source = new EventSource(`${url}/events`)
  let failures = 0
  let isTold = false

  const hear = (state: LinkState): void => {
    isTold = true
    failures = 0
    if (isFinal(state)) {
      source.close()
      until = 0
    }
    tell(state)
  }
  const poll = async (): Promise<void> => {
    const state = await askOutcome(url, signal)
    if (signal.aborted) return
    if (state) hear(state)
    if (Date.now() < until) later(POLL_EVERY, () => void poll(), signal)
  }
  const giveUpStream = (): void => {
    isTold = true
    source.close()
    void poll()
  }

  source.addEventListener('state', event => hear(JSON.parse(event.data as string) as LinkState))
  source.addEventListener('error', () => {
    if (source.readyState === 2 || ++failures >= MOST_FAILURES) giveUpStream()
  })
  // A stream sends its first state at once, unless a proxy holds it back.
  later(ANSWER_WITHIN, () => isTold || giveUpStream(), signal)
  signal.addEventListener('abort', () => source.close())
}
