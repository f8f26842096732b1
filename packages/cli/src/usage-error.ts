/** What a command has to say, for a person and for a program. */
export type Output = { text: string; data: unknown }

/** The command cannot be carried out as it was given; the message says what to do. */
export class UsageError extends Error {
  override name = 'UsageError'
}
