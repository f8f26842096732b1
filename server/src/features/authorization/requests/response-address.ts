import { withResponse } from '../clients/redirect-uri.ts'
import { issuerOf } from '../settings/sign-in-addresses.ts'
import type { AuthorizationError } from './authorization-request.ts'

type Response = { organizationId: string; redirectUri: string; state: string | null }

/** RFC 9207: `iss` lets the client recognize a response of another server. */
export const errorAddress = (
  baseUrl: string,
  { organizationId, redirectUri, state }: Response,
  { code, description }: AuthorizationError,
): string =>
  withResponse(redirectUri, {
    error: code,
    error_description: description,
    state,
    iss: issuerOf(baseUrl, organizationId),
  })

export const codeAddress = (
  baseUrl: string,
  { organizationId, redirectUri, state }: Response,
  code: string,
): string => withResponse(redirectUri, { code, state, iss: issuerOf(baseUrl, organizationId) })
