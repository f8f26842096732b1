/** `code` is stable, `message` is for developers, `requestId` finds the request in the service's log. */
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
