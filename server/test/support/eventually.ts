import { setTimeout as delay } from 'node:timers/promises'

/** For work done by a job or another process: repeats the assertion until it holds. The deadline only ends a test that hangs. */
export const eventually = async <Found>(
  assertion: () => Promise<Found>,
  within = 120_000,
): Promise<Found> => {
  const deadline = Date.now() + within
  for (;;) {
    try {
      return await assertion()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await delay(50)
    }
  }
}
