import type { TokenHttpRequest, TokenRequestMethod } from '@carabiner/contract'
import { isRefusal } from '../../../../core/refusal.ts'
import { EgressError, type EgressRequest, type EgressResponse } from '../../../../platform/egress/egress.ts'
import type { Tenant } from '../../authorization-kind.ts'
import { fillAddress, fillText, tenantValues, type Values } from '../../templates/template.ts'
import { buildTokenRequest } from './build-token-request.ts'
import {
  derivedValues,
  fingerprintValues,
  type Moment,
  momentValues,
  thumbprintValues,
} from './derived-values.ts'
import { type ReadValues, readTokenResponse, type TokenFailure } from './read-token-response.ts'
import { tokenLifetime } from './token-lifetime.ts'

type MadeToken = Tenant & {
  kind: 'made'
  token: string
  /** The values that were read from responses. */
  values: Record<string, string>
  expiresInSeconds: number
}

export type Send = (request: EgressRequest) => Promise<EgressResponse>

/** RFC 9110 §5.5: a token is sent in a header. Larger ones do not fit. */
const TOKEN = /^[\x21-\x7e](?:[\x20-\x7e]{0,16382}[\x21-\x7e])?$/

/** Makes a token from the fields that the user has entered, as the connector's file describes. */
export const makeToken = async (
  { send, moment }: { send: Send; moment: Moment },
  method: TokenRequestMethod,
  entered: Tenant & { fields: Record<string, string> },
): Promise<MadeToken | TokenFailure> => {
  let { tenant } = entered
  let read: Record<string, string> = {}
  let known: Values = {
    ...entered.fields,
    ...momentValues(moment, method.token.lifetime_seconds),
    ...fingerprintValues(method, entered.fields),
    ...thumbprintValues(method, entered.fields),
  }
  for (const request of method.requests) {
    known = derivedValues(method, { ...known, ...tenantValues(tenant) }, moment)
    const answer = await exchange(send, method, request, { tenant, known, now: moment.now })
    if (answer.kind !== 'read') return answer
    tenant = { ...tenant, ...answer.addresses }
    read = { ...read, ...answer.values }
    known = { ...known, ...valuesOf(answer.values) }
  }
  known = derivedValues(method, { ...known, ...tenantValues(tenant) }, moment)
  const token = fillText(method.token.value, known)
  if (token === null || !TOKEN.test(token)) return { kind: 'unavailable', timedOut: false }
  return {
    kind: 'made',
    token,
    tenant,
    values: read,
    expiresInSeconds: tokenLifetime(method.token, read, moment.now),
  }
}

/** Values of responses have names of their own, so that they cannot replace fields. */
export const valuesOf = (read: Record<string, string>): Values =>
  Object.fromEntries(Object.entries(read).map(([name, value]) => [`value.${name}`, value]))

const exchange = async (
  send: Send,
  method: TokenRequestMethod,
  request: TokenHttpRequest,
  { tenant, known, now }: Tenant & { known: Values; now: Date },
): Promise<ReadValues | TokenFailure> => {
  try {
    const outgoing = buildTokenRequest(request, tenant, known)
    requireAllowed(method, tenant, outgoing.url)
    return readTokenResponse(request, await send(outgoing), method, now)
  } catch (error) {
    if (error instanceof EgressError)
      return error.failure === 'certificate_refused'
        ? { kind: 'certificate_refused' }
        : { kind: 'unavailable', timedOut: error.failure === 'timeout' }
    // A value contains a character that cannot be sent, so it cannot be right.
    if (isRefusal(error, 'invalid_arguments')) return { kind: 'refused', isFinal: false }
    throw error
  }
}

/** The entered secrets are sent only to the origins that the file allows. */
const requireAllowed = (
  { token_origins: origins = [] }: TokenRequestMethod,
  tenant: Record<string, string>,
  url: string,
): void => {
  const { origin } = new URL(url)
  if (!origins.some(template => isOrigin(template, tenant, origin)))
    throw new Error(`a token must not be requested from ${origin}`)
}

const isOrigin = (template: string, tenant: Record<string, string>, origin: string): boolean => {
  const isKnown = [...template.matchAll(/\{tenant\.([a-z0-9_]+)\}/g)].every(([, name = '']) =>
    Object.hasOwn(tenant, name),
  )
  return isKnown && new URL(fillAddress(template, tenant)).origin === origin
}
