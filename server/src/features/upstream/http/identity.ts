import type { ConnectorFile } from '@carabiner/contract'
import { isRefusal } from '../../../core/refusal.ts'
import type { Egress, EgressResponse } from '../../../platform/egress/egress.ts'
import { EgressError } from '../../../platform/egress/egress.ts'
import {
  authorizeRequest,
  type CredentialSecret,
  isEntered,
  shownFields,
} from '../authorization-kinds/authorization-kinds.ts'
import { asName, isAffirmed, readName, readText } from '../read-by-pointer.ts'
import { readBody } from '../response-body.ts'
import { fillAddress, fillHeaders, fillText, fillValue, tenantValues } from '../templates/template.ts'
import { fetchStatedEnd } from './stated-end.ts'
import { statesRevocation } from './states-revocation.ts'

/** The account of a credential. `account` is its display name; `accountId` is stable when that name changes. */
export type Account = { account: string | null; accountId: string | null }
/** `endsAt`: when the key ends, if the provider states it. */
export type Identity =
  | ({ kind: 'account'; answer: unknown; endsAt: Date | null } & Account)
  | Rejection
  | { kind: 'unavailable' }

/**
 * `unauthorized`: the credential is invalid. `certificate`: its client certificate is refused in the TLS handshake. `revoked`: the provider
 * states that it was revoked. `other`: it is not accepted for another reason.
 */
export type Rejection = { kind: 'rejected'; because: 'unauthorized' | 'certificate' | 'revoked' | 'other' }

type IdentityCall = NonNullable<ConnectorFile['identity']>

/** The account of a credential that must not read it. */
const unreadAccount = (
  connector: ConnectorFile,
  identity: IdentityCall,
  secret: CredentialSecret,
): Identity => ({
  kind: 'account',
  account: accountName(connector, identity, secret, null),
  accountId: null,
  answer: null,
  endsAt: null,
})

const MAX_IDENTITY_BYTES = 256 * 1024

/** Requests the account of a credential from the provider. For an API key this also validates the key. */
export const fetchAccount = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CredentialSecret,
): Promise<Identity> => {
  const { identity } = connector
  if (!identity) return { kind: 'account', account: null, accountId: null, answer: null, endsAt: null }
  const request = identityRequest(connector, secret, identity)
  if (!request) return { kind: 'rejected', because: 'other' }
  const { body, ...described } = request
  try {
    const answer = await egress.request({
      ...described,
      ...(body !== null && { body }),
      maxBytes: MAX_IDENTITY_BYTES,
    })
    if (answer.status === 403 && identity.accepts_forbidden) return unreadAccount(connector, identity, secret)
    if (isRejection(answer.status, secret)) return readRejection(connector, answer)
    if (answer.status < 200 || answer.status > 299) return { kind: 'unavailable' }
    const read = readIdentity(connector, identity, secret, JSON.parse(answer.body.toString('utf8')))
    if (read.kind !== 'account') return read
    return { ...read, endsAt: await fetchStatedEnd({ egress }, connector, secret, answer) }
  } catch (error) {
    if (error instanceof EgressError && error.failure === 'certificate_refused')
      return { kind: 'rejected', because: 'certificate' }
    if (error instanceof EgressError || error instanceof SyntaxError) return { kind: 'unavailable' }
    throw error
  }
}

/** Null if the credential contains a character that no header can carry, so it cannot be valid. */
const identityRequest = (
  connector: ConnectorFile,
  secret: CredentialSecret,
  { url, method = 'GET', headers, body }: IdentityCall,
) => {
  const values = tenantValues(secret.tenant)
  const request = {
    url: fillAddress(url, secret.tenant),
    method,
    headers: {
      accept: 'application/json',
      ...fillHeaders(connector.headers, values),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...fillHeaders(headers, values),
    },
    body: body === undefined ? null : JSON.stringify(fillValue(body, values)),
  }
  try {
    return authorizeRequest(connector, secret, request)
  } catch (error) {
    if (isRefusal(error, 'invalid_arguments')) return null
    throw error
  }
}

/**
 * Users type keys and tenant addresses, so any 4xx response is attributed to them. The provider issued an OAuth
 * token itself, so only 401 and 403 are about the token.
 */
const isRejection = (status: number, secret: CredentialSecret): boolean => {
  if (status === 401 || status === 403) return true
  return isEntered(secret) && status >= 400 && status < 500 && ![408, 425, 429].includes(status)
}

const readRejection = (connector: ConnectorFile, answer: EgressResponse): Rejection => {
  const body = readBody(answer)
  const code = body.kind === 'json' ? errorCode(connector, body.value) : null
  return rejectedWith(connector, code, answer.status === 401)
}

const errorCode = ({ errors }: ConnectorFile, answer: unknown): string | null =>
  errors?.code === undefined ? null : readText(answer, errors.code)

const rejectedWith = ({ errors }: ConnectorFile, code: string | null, isUnauthorized: boolean): Rejection => {
  if (statesRevocation(errors, code)) return { kind: 'rejected', because: 'revoked' }
  const meansUnauthorized = code !== null && errors?.unauthorized?.includes(code) === true
  return { kind: 'rejected', because: isUnauthorized || meansUnauthorized ? 'unauthorized' : 'other' }
}

const readIdentity = (
  connector: ConnectorFile,
  identity: IdentityCall,
  secret: CredentialSecret,
  answer: unknown,
): Identity => {
  if (identity.ok !== undefined && !isAffirmed(answer, identity.ok))
    return rejectedWith(connector, errorCode(connector, answer), false)
  return {
    kind: 'account',
    account: accountName(connector, identity, secret, answer),
    accountId: identity.id === undefined ? null : readName(answer, identity.id),
    answer,
    endsAt: null,
  }
}

/** The first name in the response, or of what the user has entered. */
const accountName = (
  connector: ConnectorFile,
  { account }: IdentityCall,
  secret: CredentialSecret,
  answer: unknown,
): string | null => {
  const entered = { ...tenantValues(secret.tenant), ...shownFields(connector, secret) }
  const names = [account]
    .flat()
    .map(place => (place.includes('{') ? asName(fillText(place, entered)) : readName(answer, place)))
  return names.find(name => name !== null) ?? null
}
