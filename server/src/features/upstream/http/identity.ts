import type { ConnectorFile } from '@carabiner/contract'
import { isRefusal } from '../../../core/refusal.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { EgressError } from '../../../platform/egress/egress.ts'
import { isAffirmed, readName } from '../json-pointer.ts'
import { authorizationHeaders, type CallSecret } from './authorization-headers.ts'
import { fillAddress, fillHeaders, fillValue, tenantValues } from './template.ts'

/** The account of a credential. `account` is its display name; `accountId` is stable when that name changes. */
export type Account = { account: string | null; accountId: string | null }
export type Identity =
  | ({ kind: 'account'; answer: unknown } & Account)
  | { kind: 'rejected' }
  | { kind: 'unavailable' }

const UNNAMED_ACCOUNT: Identity = { kind: 'account', account: null, accountId: null, answer: null }

const MAX_IDENTITY_BYTES = 256 * 1024

/** Requests the account of a credential from the provider. For an API key this also validates the key. */
export const fetchAccount = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CallSecret,
): Promise<Identity> => {
  const { identity } = connector
  if (!identity) return UNNAMED_ACCOUNT
  const authorization = sendableHeaders(connector, secret, identity)
  if (!authorization) return { kind: 'rejected' }
  const url = fillAddress(identity.url, secret.tenant)
  const values = tenantValues(secret.tenant)
  try {
    const answer = await egress.request({
      url,
      method: identity.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...fillHeaders(connector.headers, values),
        ...(identity.body !== undefined && { 'content-type': 'application/json' }),
        ...fillHeaders(identity.headers, values),
        ...authorization,
      },
      ...(identity.body !== undefined && { body: JSON.stringify(fillValue(identity.body, values)) }),
      maxBytes: MAX_IDENTITY_BYTES,
    })
    if (answer.status === 403 && identity.accepts_forbidden) return UNNAMED_ACCOUNT
    if (isRejection(answer.status, secret.kind)) return { kind: 'rejected' }
    if (answer.status < 200 || answer.status > 299) return { kind: 'unavailable' }
    return readIdentity(identity, JSON.parse(answer.body.toString('utf8')))
  } catch (error) {
    if (error instanceof EgressError || error instanceof SyntaxError) return { kind: 'unavailable' }
    throw error
  }
}

/** Null if the credential contains a character that no header can carry, so it cannot be valid. */
const sendableHeaders = (
  connector: ConnectorFile,
  secret: CallSecret,
  { url }: NonNullable<ConnectorFile['identity']>,
): Record<string, string> | null => {
  try {
    return authorizationHeaders(connector, secret, fillAddress(url, secret.tenant))
  } catch (error) {
    if (isRefusal(error, 'invalid_arguments')) return null
    throw error
  }
}

/**
 * Users type API keys and tenant addresses, so any 4xx response is attributed to them. The provider issued an OAuth
 * token itself, so only 401 and 403 are about the token.
 */
const isRejection = (status: number, kind: CallSecret['kind']): boolean => {
  if (status === 401 || status === 403) return true
  return kind === 'api_key' && status >= 400 && status < 500 && ![408, 425, 429].includes(status)
}

const readIdentity = (identity: NonNullable<ConnectorFile['identity']>, answer: unknown): Identity => {
  if (identity.ok !== undefined && !isAffirmed(answer, identity.ok)) return { kind: 'rejected' }
  const names = [identity.account].flat().map(pointer => readName(answer, pointer))
  return {
    kind: 'account',
    account: names.find(name => name !== null) ?? null,
    accountId: identity.id === undefined ? null : readName(answer, identity.id),
    answer,
  }
}
