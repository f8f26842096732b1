import { describeError, type ErrorCode } from '@carabiner/contract'

export type RefusalDetails = {
  /** The field, header or parameter at fault. */
  param?: string
  /** Replaces the catalogue's text where the request allows a more exact one. Never carries a secret. */
  message?: string
  retryAfterSeconds?: number
  /** Whether the same call may succeed when it is made again. Said where a model has to decide it. */
  retryable?: boolean
  allow?: string[]
  cause?: unknown
}

/** The one expected error: something was asked that will not be done, and the caller is told why. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly retryable: boolean | undefined
  readonly allow: string[] | undefined

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(details.message ?? describeError(code).text, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.param = details.param
    this.retryAfterSeconds = details.retryAfterSeconds
    this.retryable = details.retryable
    this.allow = details.allow
  }
}

export const isRefusal = (error: unknown, code?: ErrorCode): error is Refusal =>
  error instanceof Refusal && (code === undefined || error.code === code)

/** The same refusal in other words. */
export const reword = (refusal: Refusal, message: string): Refusal =>
  new Refusal(refusal.code, {
    message,
    ...(refusal.param !== undefined && { param: refusal.param }),
    ...(refusal.retryAfterSeconds !== undefined && { retryAfterSeconds: refusal.retryAfterSeconds }),
    ...(refusal.retryable !== undefined && { retryable: refusal.retryable }),
    ...(refusal.allow && { allow: refusal.allow }),
    cause: refusal.cause,
  })
