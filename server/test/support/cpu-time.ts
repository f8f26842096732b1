/** CPU milliseconds that this thread spends on `work`. Other processes on the machine do not change it. */
export const cpuMilliseconds = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Below this, garbage collection and compilation dominate the measurement. */
const NOTICEABLE_MS = 8
const ROUNDS = 3

/**
 * Factor by which the CPU time of `work` grows from a small to a large input; the lowest of several rounds. It distinguishes
 * linear from quadratic work on any machine, because both inputs are measured on the same one.
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
