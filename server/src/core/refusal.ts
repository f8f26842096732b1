import { type AccountOption, type ArgumentProblem, describeError, type ErrorCode } from '@carabiner/contract'

/** What a call that reached its provider has done there. */
export type CarriedOut = 'yes' | 'no' | 'unknown'

export type RefusalDetails = {
  /** The field, header or parameter that caused the error. */
  param?: string
  /** Replaces the default text of the error code with a more specific one. Must not contain a secret. */
  message?: string
  retryAfterSeconds?: number
  /** Whether a retry of the same call may succeed. Set where a model has to decide that. */
  retryable?: boolean
  /** Set if the provider was called. */
  carriedOut?: CarriedOut | undefined
  /** When calls work again, as an ISO 8601 timestamp. */
  resumesAt?: string
  /** The accounts that a call may name. */
  accounts?: AccountOption[]
  /** All problems of the arguments of a call. */
  errors?: ArgumentProblem[]
  allow?: string[]
  cause?: unknown
}

/** The only expected error: a request is rejected, and the caller gets the reason. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly retryable: boolean | undefined
  readonly carriedOut: CarriedOut | undefined
  readonly resumesAt: string | undefined
  readonly accounts: AccountOption[] | undefined
  readonly errors: ArgumentProblem[] | undefined
  readonly allow: string[] | undefined

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(details.message ?? describeError(code).text, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.param = details.param
    this.retryAfterSeconds = details.retryAfterSeconds
    this.retryable = details.retryable
    this.carriedOut = details.carriedOut
    this.resumesAt = details.resumesAt
    this.accounts = details.accounts
    this.errors = details.errors
    this.allow = details.allow
  }
}

export const isRefusal = (error: unknown, code?: ErrorCode): error is Refusal =>
  error instanceof Refusal && (code === undefined || error.code === code)

/** The same error with another message or other details. */
export const reword = (refusal: Refusal, message: string, details: RefusalDetails = {}): Refusal =>
  new Refusal(refusal.code, {
    message,
    ...(refusal.param !== undefined && { param: refusal.param }),
    ...(refusal.retryAfterSeconds !== undefined && { retryAfterSeconds: refusal.retryAfterSeconds }),
    ...(refusal.retryable !== undefined && { retryable: refusal.retryable }),
    ...(refusal.carriedOut !== undefined && { carriedOut: refusal.carriedOut }),
    ...(refusal.resumesAt !== undefined && { resumesAt: refusal.resumesAt }),
    ...(refusal.accounts && { accounts: refusal.accounts }),
    ...(refusal.errors && { errors: refusal.errors }),
    ...(refusal.allow && { allow: refusal.allow }),
    cause: refusal.cause,
    ...details,
  })
