/**
 * Callers that arrive while a statement is in flight go together into the next one. Each waits for the commit of its own
 * row, so nothing is acknowledged early; alone, a caller waits for nobody.
 */
type Waiting<In, Out> = { input: In; resolve: (output: Out) => void; reject: (error: unknown) => void }

type Options<In, Out> = {
  maxBatch?: number
  maxInFlight?: number
  /** How one of a batch that failed is asked again: by default after the others, and nobody new meanwhile. */
  alone?: (input: In, failure: unknown) => Promise<Out>
  /** Whether a failed batch also fails those that are queued. Default: never. */
  failsAll?: (failure: unknown) => boolean
}

export const coalesce = <In, Out>(
  run: (inputs: In[]) => Promise<Out[]>,
  { maxBatch = 64, maxInFlight = 1, alone, failsAll }: Options<In, Out> = {},
): ((input: In) => Promise<Out>) => {
  const queue: Waiting<In, Out>[] = []
  let inFlight = 0

  const settle = async (batch: Waiting<In, Out>[]): Promise<void> => {
    try {
      const outputs = await run(batch.map(item => item.input))
      if (outputs.length !== batch.length)
        throw new Error(`${batch.length} asked, ${outputs.length} answered`)
      for (const [index, item] of batch.entries()) item.resolve(outputs[index] as Out)
    } catch (error) {
      if (failsAll?.(error)) for (const item of queue.splice(0)) item.reject(error)
      // One bad row must not fail its neighbours: each is tried again on its own.
      if (alone) for (const { input, resolve, reject } of batch) alone(input, error).then(resolve, reject)
      else if (batch.length === 1) batch[0]?.reject(error)
      else for (const item of batch) await settle([item])
    }
  }
  const pump = async (): Promise<void> => {
    inFlight++
    while (queue.length > 0) await settle(queue.splice(0, maxBatch))
    inFlight--
  }
  return input =>
    new Promise<Out>((resolve, reject) => {
      queue.push({ input, resolve, reject })
      if (inFlight < maxInFlight) void pump()
    })
}

/** Rows of objects as the columns that `unnest` takes. */
export const columns = <Row extends Record<string, unknown>, Name extends keyof Row>(
  rows: Row[],
  names: readonly Name[],
): Row[Name][][] => names.map(name => rows.map(row => row[name]))
