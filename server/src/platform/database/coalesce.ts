import { leaveBudget, spendBudget } from './request-budget.ts'

/**
 * Batches the inputs of callers that arrive while a batch is in flight. Each caller waits for its own batch; a single
 * caller is not delayed.
 */
type Pending<In, Out> = { input: In; resolve: (output: Out) => void; reject: (error: unknown) => void }

type Options<In, Out> = {
  maxBatch?: number
  maxInFlight?: number
  /** Retries one input of a failed batch. Default: inputs are retried one by one before the next batch. */
  retrySeparately?: (input: In, failure: unknown) => Promise<Out>
  /** Whether a failed batch also fails the queued inputs. Default: never. */
  failsAll?: (failure: unknown) => boolean
}

export const coalesce = <In, Out>(
  run: (inputs: In[]) => Promise<Out[]>,
  { maxBatch = 64, maxInFlight = 1, retrySeparately, failsAll }: Options<In, Out> = {},
): ((input: In) => Promise<Out>) => {
  const queue: Pending<In, Out>[] = []
  let inFlight = 0

  const settle = async (batch: Pending<In, Out>[]): Promise<void> => {
    try {
      const outputs = await run(batch.map(item => item.input))
      if (outputs.length !== batch.length)
        throw new Error(`${outputs.length} outputs for a batch of ${batch.length} inputs`)
      for (const [index, item] of batch.entries()) item.resolve(outputs[index] as Out)
    } catch (error) {
      if (failsAll?.(error)) for (const item of queue.splice(0)) item.reject(error)
      // One invalid input must not fail the others, so each is retried separately.
      if (retrySeparately)
        for (const { input, resolve, reject } of batch) retrySeparately(input, error).then(resolve, reject)
      else if (batch.length === 1) batch[0]?.reject(error)
      else for (const item of batch) await settle([item])
    }
  }
  const pump = async (): Promise<void> => {
    inFlight++
    while (queue.length > 0) await settle(queue.splice(0, maxBatch))
    inFlight--
  }
  const enqueue = (input: In): Promise<Out> =>
    new Promise<Out>((resolve, reject) => {
      queue.push({ input, resolve, reject })
      if (inFlight < maxInFlight) void leaveBudget(pump)
    })
  return input => spendBudget(() => enqueue(input))
}
