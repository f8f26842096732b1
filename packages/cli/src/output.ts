/** What a command has to say, for a person and for a program. */
export type Output = { text: string; data: unknown }

/** What was asked has an answer, and the answer may be bad news: then a script must notice. */
export type FailingOutput = Output & { failed?: boolean }

export class UsageError extends Error {
  override name = 'UsageError'
}
