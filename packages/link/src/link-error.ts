/** `code` is stable, `message` is for developers, `requestId` identifies the request in the log of the service. */
export class LinkError extends Error {
  declare readonly code: string
  declare readonly requestId: string | undefined

  constructor(code: string, message = `Link: ${code}`, requestId?: string) {
    super(message)
    this.name = 'LinkError'
    this.code = code
    this.requestId = requestId
  }
}
