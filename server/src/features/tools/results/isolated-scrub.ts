import { setImmediate } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import { IsolatedError, type IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import { costExceeds } from '../../rules/isolated-decide.ts'
import { createScrubber } from './scrub-secrets.ts'

/** As JSON, which is copied to the worker faster than objects. */
type Input = { secrets: readonly string[]; json: string }

const SCRUB_CPU_MS = 5 * SECOND
/** Below this size the most expensive values take about 20 ms. */
const MAX_INLINE_COST = 75_000

/** Removes secrets from a provider's answer, in a worker if it is large. Throws on a timeout, so that nothing unchecked passes. */
export const scrubAny = async (
  isolated: IsolatedPool,
  owner: string,
  secrets: readonly string[],
  value: unknown,
): Promise<unknown> => {
  if (secrets.length === 0) return value
  if (!costExceeds(value, MAX_INLINE_COST)) return createScrubber(secrets)(value)
  // Lets other requests run between parsing and serializing.
  await setImmediate()
  const input: Input = { secrets, json: JSON.stringify(value) }
  const scrubbed = isolated.run(owner, 'scrub', input, { cpuMs: SCRUB_CPU_MS }).catch(explain)
  const json = (await scrubbed) as string | null
  return json === null ? value : JSON.parse(json)
}

/** Null if there is nothing to remove. */
export const scrubTask = ({ secrets, json }: Input): string | null => {
  const value: unknown = JSON.parse(json)
  const scrubbed = createScrubber(secrets)(value)
  return scrubbed === value ? null : JSON.stringify(scrubbed)
}

const explain = (error: unknown): never => {
  if (!(error instanceof IsolatedError)) throw error
  throw new Refusal('third_party_error', {
    message:
      'The result could not be searched for the credential in time, so it is withheld. The call was made: do not repeat it unchanged. Request less data.',
    retryable: false,
    cause: error,
  })
}
