import { setTimeout as delay } from 'node:timers/promises'

/** For what happens in a job or another process: asks until the assertion holds, and fails with it if it never does. */
export const eventually = async <Found>(assertion: () => Promise<Found>, within = 10_000): Promise<Found> => {
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
