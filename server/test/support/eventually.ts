import { setTimeout as delay } from 'node:timers/promises'

/** For what happens in a job or another process: asks until the assertion holds, and fails with it if it never does. */
export const eventually = async (assertion: () => Promise<void>, within = 10_000): Promise<void> => {
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
