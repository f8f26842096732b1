/** Where a command that runs until Ctrl-C writes. */
export type Terminal = {
  /** Writes a line of the result. Resolves when it was written. */
  print(line: string): Promise<void>
  /** Writes a line about the progress, which is not part of the result. */
  notice(line: string): void
  /** Aborted by Ctrl-C, by SIGTERM, and when the program that reads the result has ended, as `head` does. */
  signal: AbortSignal
}

export const openTerminal = ({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Terminal => {
  const stop = new AbortController()
  // A second Ctrl-C ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stop.abort()
  })
  stderr.on('error', () => undefined)
  return {
    print: line => new Promise(resolve => stdout.write(`${line}\n`, () => resolve())),
    notice: line => void stderr.write(`${line}\n`),
    signal: stop.signal,
  }
}

/** Names of accounts and tools are untrusted, and must not contain terminal control sequences. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '�')

/** Local time of day. */
export const timeOf = (date: Date): string => date.toTimeString().slice(0, 8)
