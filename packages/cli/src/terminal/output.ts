/** The result of a command, for people and for programs. */
export type Output = { text: string; data: unknown }

/** The command succeeded, but its result may be a failure: then the exit code is 1, or the given one. */
export type FailingOutput = Output & { failed?: boolean; exitCode?: number }

/** Exit codes of every command. Some commands define more: see `EXIT_CODES`. */
export const EXIT_FAILURE = 1
export const EXIT_USAGE = 2
/** A tool call that is, or would be, rejected. */
export const EXIT_REJECTED = 3
/** The user has to connect an account first. */
export const EXIT_AUTH_REQUIRED = 4
/** A person has to approve the call first. */
export const EXIT_APPROVAL_REQUIRED = 5
export const EXIT_INTERRUPTED = 130

/** An expected failure. Its message is shown without a stack. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number = EXIT_FAILURE
  /** A stable code for programs. */
  readonly code: string
  constructor(message: string, code = 'failed') {
    super(message)
    this.code = code
  }
}

/** The command line was wrong: an unknown command or option, or an invalid value. */
export class UsageError extends CommandError {
  override name = 'UsageError'
  override readonly exitCode = EXIT_USAGE
  constructor(message: string) {
    super(message, 'usage')
  }
}

/** The user has cancelled a prompt. */
export class Interrupted extends CommandError {
  override name = 'Interrupted'
  override readonly exitCode = EXIT_INTERRUPTED
  constructor() {
    super('Cancelled.', 'cancelled')
  }
}
