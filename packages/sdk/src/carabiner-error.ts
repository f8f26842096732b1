/** What the SDK itself finds wrong, where the service has said nothing: each beside the codes of the API's error table. */
export type ConnectionCode = 'network_error' | 'timeout' | 'unexpected_response'

export type CarabinerErrorFields = {
  /** The HTTP status; 0 where no answer came. */
  status: number
  /** Stable: a code of the API's error table (`/docs/errors` of your service), or a `ConnectionCode`. */
  code: string
  /** The family of the code, such as `validation_error`; `connection_error` where no answer came. */
  type: string
  message: string
  /** The field, parameter or header that is at fault. */
  param?: string | undefined
  /** Finds the request in the service's log. */
  requestId?: string | undefined
  /** Seconds to wait before the next try, where the service said so. */
  retryAfter?: number | undefined
  documentationUrl?: string | undefined
  cause?: unknown
}

/** Every refusal of the service, and every answer that never came. It carries no key and nothing of the request's body. */
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
