/**
 * Callers who ask for the same thing while it is under way share the one answer, or the one failure. Nothing is kept
 * once it is there: whoever comes later asks anew.
 */
export type ShareInFlight<Out> = (key: string, work: () => Promise<Out>) => Promise<Out>

export const createShareInFlight = <Out>(): ShareInFlight<Out> => {
  const underWay = new Map<string, Promise<Out>>()
  return (key, work) => {
    const running = underWay.get(key)
    if (running) return running
    const started = work().finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
