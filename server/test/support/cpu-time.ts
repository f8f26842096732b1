/** CPU milliseconds that this thread spends on `work`. Other processes on the machine do not change it. */
export const cpuMilliseconds = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Below this, the garbage collector and the compiler weigh more than the work. */
const NOTICEABLE_MS = 8
const ROUNDS = 3

/**
 * By what factor the CPU time of `work` grows from a small input to a large one: the lowest of a few rounds. It tells linear
 * work from quadratic work on any machine, because both inputs are measured on the same one.
 */
export const growthOfWork = <Input>(
  work: (input: Input) => unknown,
  { small, large }: { small: Input; large: Input },
): number => {
  work(small)
  const rounds = Array.from(
    { length: ROUNDS },
    () =>
      cpuMilliseconds(() => work(large)) /
      Math.max(
        NOTICEABLE_MS,
        cpuMilliseconds(() => work(small)),
      ),
  )
  return Math.min(...rounds)
}
