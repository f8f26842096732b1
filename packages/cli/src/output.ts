/** The result of a command, for people and for programs. */
export type Output = { text: string; data: unknown }

/** The command succeeded, but its result is a failure, so the exit code is 1. */
export type FailingOutput = Output & { failed?: boolean }

export class UsageError extends Error {
  override name = 'UsageError'
}
