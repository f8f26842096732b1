/** Concurrent callers with the same key share one execution and its result or error. Results are not cached. */
export type SingleFlight<Out> = (key: string, work: () => Promise<Out>) => Promise<Out>

export const createSingleFlight = <Out>(): SingleFlight<Out> => {
  const inFlight = new Map<string, Promise<Out>>()
  return (key, work) => {
    const running = inFlight.get(key)
    if (running) return running
    const execution = work().finally(() => inFlight.delete(key))
    inFlight.set(key, execution)
    return execution
  }
}
