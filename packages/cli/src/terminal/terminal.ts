/** Where a command that runs until Ctrl-C writes. */
export type Terminal = {
  /** Writes a line of the result. Resolves when it was written. */
  print: (line: string) => Promise<void>
  /** Writes a line about the progress, which is not part of the result. */
  notice: (line: string) => void
  /**
   * For commands that stop in an orderly way. The signal is aborted by Ctrl-C, by SIGTERM, and when the program that reads the result
   * has ended, as `head` does. A command that does not call this ends at once.
   */
  handleStop: () => AbortSignal
}

export type ProcessTerminal = Terminal & {
  /** The exit code of an interrupted command; null if it was not interrupted. */
  interruption(): number | null
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

export const openTerminal = (
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>,
  onInterrupt: () => void = () => undefined,
): ProcessTerminal => {
  const stop = new AbortController()
  let endsItself = false
  let interruption: number | null = null
  // A second Ctrl-C ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      interruption = EXIT_CODES[name]
      onInterrupt()
      if (!endsItself) process.exit(interruption)
      stop.abort()
    })
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (!endsItself) process.exit()
    stop.abort()
  })
  stderr.on('error', () => undefined)
  return {
    print: line => new Promise(resolve => stdout.write(`${line}\n`, () => resolve())),
    notice: line => void stderr.write(`${line}\n`),
    handleStop: () => {
      endsItself = true
      return stop.signal
    },
    interruption: () => interruption,
  }
}
