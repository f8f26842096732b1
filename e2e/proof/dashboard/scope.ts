/** Closes what a measurement has opened. */
export type Scope = { after(close: () => Promise<void>): void }

export const inScope = async <T>(work: (scope: Scope) => Promise<T>): Promise<T> => {
  await using opened = new AsyncDisposableStack()
  return await work({ after: close => opened.defer(close) })
}
