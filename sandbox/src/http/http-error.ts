/** What a door answers when a request is at fault. The text is public. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, description: string) {
    super(description)
    this.status = status
    this.code = code
  }
}
