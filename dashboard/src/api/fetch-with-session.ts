import { personHeader } from './page-person.ts'
import type { SessionGate } from './session-gate.ts'

const RETRY_TIMEOUT_MS = 30_000

/** A fetch that waits for a new sign-in when the session has expired, and then repeats the request. */
export const fetchWithSession =
  (gate: SessionGate, send: typeof fetch = fetch): typeof fetch =>
  async (input, init) => {
    for (let current = init; ; ) {
      const response = await send(input, { ...current, headers: asPerson(current?.headers) })
      if (response.status !== 401 || !(await isExpired(response))) return response
      await gate.waitForSignIn()
      // The caller's deadline has passed while the person signed in.
      current = { ...init, signal: AbortSignal.timeout(RETRY_TIMEOUT_MS) }
    }
  }

const asPerson = (headers: HeadersInit | undefined): Headers => {
  const named = new Headers(headers)
  for (const [name, value] of Object.entries(personHeader())) named.set(name, value)
  return named
}

const isExpired = async (response: Response): Promise<boolean> => {
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: { code?: string } } | undefined
  return body?.error?.code === 'session_expired'
}
