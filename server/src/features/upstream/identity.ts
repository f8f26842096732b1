import type { ConnectorFile } from '@carabiner/contract'
import type { Egress } from '../../platform/egress.ts'
import { EgressError } from '../../platform/egress.ts'
import { authorizationHeaders, type CallSecret } from './authorization-headers.ts'
import { readName, readPointer } from './json-pointer.ts'
import { fillAddress, fillHeaders, fillValue, tenantValues } from './template.ts'

/** Whose credential it is: the name a person knows the account by, and what stays the same when that changes. */
export type Account = { account: string | null; accountId: string | null }
export type Identity =
  | ({ kind: 'account'; answer: unknown } & Account)
  | { kind: 'rejected' }
  | { kind: 'unavailable' }

const MAX_IDENTITY_BYTES = 256 * 1024

/** Asks the third party whose credential this is; for an API key that is also the live check of the key. */
export const fetchAccount = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CallSecret,
): Promise<Identity> => {
  const { identity } = connector
  if (!identity) return { kind: 'account', account: null, accountId: null, answer: null }
  const url = fillAddress(identity.url, secret.tenant)
  const values = tenantValues(secret.tenant)
  try {
    const answer = await egress.request({
      url,
      method: identity.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(identity.body !== undefined && { 'content-type': 'application/json' }),
        ...fillHeaders(identity.headers, values),
        ...authorizationHeaders(connector, secret, url),
      },
      ...(identity.body !== undefined && { body: JSON.stringify(fillValue(identity.body, values)) }),
      maxBytes: MAX_IDENTITY_BYTES,
    })
    if (answer.status === 401 || answer.status === 403) return { kind: 'rejected' }
    if (answer.status !== 200) return { kind: 'unavailable' }
    return readIdentity(identity, JSON.parse(answer.body.toString('utf8')))
  } catch (error) {
    if (error instanceof EgressError || error instanceof SyntaxError) return { kind: 'unavailable' }
    throw error
  }
}

const readIdentity = (identity: NonNullable<ConnectorFile['identity']>, answer: unknown): Identity => {
  if (identity.ok !== undefined && readPointer(answer, identity.ok) === false) return { kind: 'rejected' }
  const names = [identity.account].flat().map(pointer => readName(answer, pointer))
  return {
    kind: 'account',
    account: names.find(name => name !== null) ?? null,
    accountId: identity.id === undefined ? null : readName(answer, identity.id),
    answer,
  }
}
