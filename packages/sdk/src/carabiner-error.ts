/** Error codes that the SDK adds to those of the API, for failures without a valid response. */
export type ConnectionCode = 'network_error' | 'timeout' | 'unexpected_response'

export type CarabinerErrorFields = {
  /** HTTP status; 0 if there was no response. */
  status: number
  /** Stable error code: one of the API (see `/docs/errors` of your service) or a `ConnectionCode`. */
  code: string
  /** Category of the code, such as `validation_error`; `connection_error` if there was no response. */
  type: string
  message: string
  /** Field, parameter or header that caused the error. */
  param?: string | undefined
  /** Identifies the request in the log of the service. */
  requestId?: string | undefined
  /** Seconds to wait before the next attempt, if the service sent `Retry-After`. */
  retryAfter?: number | undefined
  documentationUrl?: string | undefined
  cause?: unknown
}

/** Thrown for every error response and every failed request. It contains neither the API key nor the request body. */
export class CarabinerError extends Error {
  readonly status: number
  readonly code: string
  readonly type: string
  readonly param: string | undefined
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly documentationUrl: string | undefined

  constructor({ message, cause, ...fields }: CarabinerErrorFields) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CarabinerError'
    this.status = fields.status
    this.code = fields.code
    this.type = fields.type
    this.param = fields.param
    this.requestId = fields.requestId
    this.retryAfter = fields.retryAfter
    this.documentationUrl = fields.documentationUrl
  }
}
