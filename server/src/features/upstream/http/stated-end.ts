import type { ConnectorFile } from '@carabiner/contract'
import { DAY, SECOND } from '../../../core/duration.ts'
import { type Egress, EgressError, type EgressResponse } from '../../../platform/egress/egress.ts'
import {
  authorizeRequest,
  type CredentialSecret,
  isEntered,
  isRenewable,
} from '../authorization-kinds/authorization-kinds.ts'
import { readText } from '../read-by-pointer.ts'
import { fillAddress, fillHeaders, tenantValues } from '../templates/template.ts'

type StatedEnd = NonNullable<NonNullable<ConnectorFile['identity']>['ends_at']>

const MAX_RESPONSE_BYTES = 64 * 1024
/** Vendors write a year such as 9999 for keys that do not end. */
const MAX_LIFETIME_MS = 36_500 * DAY

/**
 * When the key ends that a user has entered, if the provider states it. Null: not known. A token that is replaced before it ends has no end
 * of this kind. `answer`: the response to the identity request.
 */
export const fetchStatedEnd = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CredentialSecret,
  answer: EgressResponse,
): Promise<Date | null> => {
  const end = connector.identity?.ends_at
  if (!end || !isEntered(secret) || isRenewable(secret)) return null
  try {
    const response = end.url === undefined ? answer : await request(egress, connector, secret, end.url)
    return response.status < 200 || response.status > 299 ? null : readEnd(end, response, new Date())
  } catch (error) {
    // The key works, whatever this request returns.
    if (error instanceof EgressError || error instanceof SyntaxError) return null
    throw error
  }
}

const request = (egress: Egress, connector: ConnectorFile, secret: CredentialSecret, address: string) => {
  const { url, method, headers } = authorizeRequest(connector, secret, {
    url: fillAddress(address, secret.tenant),
    method: 'GET' as const,
    headers: {
      accept: 'application/json',
      ...fillHeaders(connector.headers, tenantValues(secret.tenant)),
      ...fillHeaders(connector.identity?.headers, tenantValues(secret.tenant)),
    },
    body: null,
  })
  return egress.request({ url, method, headers, maxBytes: MAX_RESPONSE_BYTES })
}

/** A time that is over is ignored: the key works, so it is that of a wrong clock, or of something else. */
export const readEnd = (
  { at, header }: StatedEnd,
  { headers, body }: EgressResponse,
  now: Date,
): Date | null => {
  const text =
    header === undefined
      ? readText(JSON.parse(body.toString('utf8')), at ?? '')
      : (headers[header.toLowerCase()] ?? null)
  const time = text === null ? Number.NaN : timeOf(text.trim())
  const isPlausible = time > now.getTime() && time < now.getTime() + MAX_LIFETIME_MS
  return isPlausible ? new Date(time) : null
}

/** Unix times have ten digits, or thirteen in milliseconds. */
const timeOf = (text: string): number => {
  if (/^\d{10}(\.\d+)?$/.test(text)) return Number(text) * SECOND
  if (/^\d{13}$/.test(text)) return Number(text)
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
}
