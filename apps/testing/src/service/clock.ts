import type { Throwaway } from 'carabiner/testing'
import { type Duration, parseDuration } from '../duration.ts'

export type Clock = {
  /** The time of the service. Compare `expires_at` of its responses with this time instead of `Date.now()`. */
  now(): Promise<Date>
  /**
   * Moves the time of the service forward and runs its scheduled jobs: links, codes and tokens expire, paused connections resume,
   * old records are deleted. Timeouts and the sandbox keep the real time.
   */
  advance(duration: Duration): Promise<void>
}

export const createClock = (service: Throwaway): Clock => ({
  now: async () => new Date(await service.now()),
  advance: async duration => service.advanceClock(parseDuration(duration)),
})
