/** The result of a command, for people and for programs. */
export type Output = { text: string; data: unknown }

/** The command succeeded, but its result may be a failure: then the exit code is 1, or the given one. */
export type FailingOutput = Output & { failed?: boolean; exitCode?: number }

export class UsageError extends Error {
  override name = 'UsageError'
}
