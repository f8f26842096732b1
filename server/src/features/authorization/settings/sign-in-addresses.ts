import type { Mode } from '../../../core/mode.ts'
import { organizationHandle } from '../../../core/token.ts'

/** The path below which an organization's authorization server has its endpoints. */
export const SIGN_IN_PATH = '/sign-in'

/** RFC 8414 §2. Each organization has its own issuer. */
export const issuerOf = (baseUrl: string, organizationId: string): string =>
  `${baseUrl}${SIGN_IN_PATH}/${organizationHandle(organizationId)}`

/** The redirect URI at the identity provider. Each mode has its own, because each has its own provider. */
export const providerRedirectUri = (baseUrl: string, organizationId: string, mode: Mode): string =>
  `${issuerOf(baseUrl, organizationId)}/callback/${mode}`
