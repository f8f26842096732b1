/** What a command has to say, for a person and for a program. */
export type Output = { text: string; data: unknown }

export class UsageError extends Error {
  override name = 'UsageError'
}
