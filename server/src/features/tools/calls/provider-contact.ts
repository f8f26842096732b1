import type { ErrorCode } from '@carabiner/contract'
import { type CarriedOut, Refusal, reword } from '../../../core/refusal.ts'
import type { Admitted } from '../admission/admit-call.ts'

/** How far a call has come. */
export type ProviderContact = {
  wasCalled: boolean
  /** It returned a result, so the call was carried out. */
  hasAnswered: boolean
}

/** Problems of this service, which ask the caller to try again. */
const OWN_PROBLEMS: readonly ErrorCode[] = ['unavailable', 'internal_error', 'organization_moving']

/**
 * The error that the caller gets. Once the provider was called, it says what the provider has done, and is never an invitation to repeat
 * the call because of a problem of this service.
 */
export const afterContact = (
  { wasCalled, hasAnswered }: ProviderContact,
  { callable: { connector } }: Pick<Admitted, 'callable'>,
  refusal: Refusal,
): Refusal => {
  if (!wasCalled) return refusal
  const carriedOut = hasAnswered ? 'yes' : 'unknown'
  if (!OWN_PROBLEMS.includes(refusal.code))
    return hasAnswered ? reword(refusal, refusal.message, { carriedOut }) : refusal
  return new Refusal('result_withheld', {
    message: describeWithheld(connector.name, carriedOut),
    retryable: false,
    carriedOut,
    cause: refusal,
  })
}

/** Whether the provider has carried out the call, or may have. `refusal`: null if the call returned a result. */
export const mayBeCarriedOut = (
  { wasCalled, hasAnswered }: ProviderContact,
  refusal: Refusal | null,
): boolean => hasAnswered || (wasCalled && refusal !== null && refusal.carriedOut !== 'no')

const describeWithheld = (provider: string, carriedOut: CarriedOut): string =>
  carriedOut === 'yes'
    ? `${provider} has carried out the call, but this service could not process or record the result. Repeat the call only if it is safe to make it twice.`
    : `This service had a problem after it had called ${provider}. The call may have been carried out: check before you try again.`
