/** As a shell reports a process that was ended by SIGINT. */
const INTERRUPTED = 130

type Options = {
  /** Resolves to the exit code. */
  stop: () => Promise<number>
  /** Called before this process exits without waiting for `stop`. */
  onInterrupt?: () => void
}

/**
 * SIGTERM and SIGINT stop the service in an orderly way. A second SIGINT, such as a second Ctrl-C, ends it at once; a
 * second SIGTERM does not, because process managers may send it to this process and to the one that forwards it.
 */
export const stopOnSignal = ({ stop, onInterrupt }: Options): void => {
  let stopping = false
  let interrupted = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGINT' && interrupted) {
      onInterrupt?.()
      process.exit(INTERRUPTED)
    }
    interrupted ||= signal === 'SIGINT'
    if (stopping) return
    stopping = true
    stop().then(
      code => process.exit(code),
      () => process.exit(1),
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
}
