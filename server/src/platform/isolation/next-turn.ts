const waiting: (() => void)[] = []

const startNext = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(startNext)
}

/**
 * Resolves in a turn of the event loop that no other caller of this function shares. An expensive step awaits it first, so that the
 * steps of many requests do not add up to one long block.
 */
export const nextTurn = (): Promise<void> =>
  new Promise(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(startNext)
  })

const LARGE_LENGTH = 64 * 1024

/** As `nextTurn` if processing a text of this length takes milliseconds, otherwise resolves at once. */
export const nextTurnIfLarge = async (length: number): Promise<void> => {
  if (length > LARGE_LENGTH) await nextTurn()
}
