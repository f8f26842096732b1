import { certificateOf, type TokenRequestMethod } from '@carabiner/contract'
import { SECOND } from '../../../../core/duration.ts'
import { Secret } from '../../../../core/secret.ts'
import { certificateEnd } from '../../../../core/signing/client-certificate.ts'
import { newUuid } from '../../../../core/uuid.ts'
import { type ClientCertificate, type Egress, EgressError } from '../../../../platform/egress/egress.ts'
import type { AuthorizationKind, FormValues, ObtainedSecret, Tenant } from '../../authorization-kind.ts'
import { concealAll, revealAll } from '../../secret-values.ts'
import { fillHeaders, namesIn, tenantValues } from '../../templates/template.ts'
import { makeToken, type Send, valuesOf } from './make-token.ts'

/** `values`: what headers need besides the token, read from the responses that the token came from. */
type TokenRequestSecret = Tenant & {
  kind: 'token_request'
  fields: Record<string, Secret>
  token: Secret
  values: Record<string, Secret>
}
type PlainTokenRequestSecret = Tenant & {
  kind: 'token_request'
  fields: Record<string, string>
  token: string
  values: Record<string, string>
}

/** For all requests together. The lease under which a token is replaced is twice as long. */
const TIMEOUT_MS = 10 * SECOND
const DEFAULT_HEADERS = { authorization: 'Bearer {token}' }

const clientCertificateOf = (
  { fields: declared }: TokenRequestMethod,
  fields: Record<string, Secret>,
): ClientCertificate | null => {
  const field = declared.find(({ client_certificate }) => client_certificate)
  const certificate = field && fields[field.name]
  const privateKey = field?.client_certificate && fields[field.client_certificate.private_key]
  return certificate && privateKey ? { certificate: certificate.reveal(), privateKey } : null
}

/** When the first certificate that the user has entered ends. Null: there is none. */
const endOfCertificates = (
  { fields: declared }: TokenRequestMethod,
  fields: Record<string, Secret>,
): Date | null => {
  const ends = declared
    .filter(certificateOf)
    .flatMap(({ name }) => fields[name] ?? [])
    .map(entered => certificateEnd(entered.reveal()).getTime())
  return ends.length === 0 ? null : new Date(Math.min(...ends))
}

const sendBefore =
  (egress: Egress, deadline: number, clientCertificate: ClientCertificate | null): Send =>
  request => {
    const timeoutMs = deadline - performance.now()
    if (timeoutMs <= 0) throw new EgressError('timeout', 'The token was not returned in time.')
    return egress.request({ ...request, timeoutMs, ...(clientCertificate && { clientCertificate }) })
  }

const request = async (egress: Egress, method: TokenRequestMethod, { tenant, fields }: FormValues) => {
  const send = sendBefore(egress, performance.now() + TIMEOUT_MS, clientCertificateOf(method, fields))
  const moment = { now: new Date(), id: newUuid() }
  const made = await makeToken({ send, moment }, method, { tenant, fields: revealAll(fields) })
  return made.kind === 'made' ? obtained(method, fields, made) : made
}

const secondsUntil = (end: Date): number => (end.getTime() - Date.now()) / SECOND

const obtained = (
  method: TokenRequestMethod,
  fields: Record<string, Secret>,
  made: Extract<Awaited<ReturnType<typeof makeToken>>, { kind: 'made' }>,
): ObtainedSecret<TokenRequestSecret> => {
  const used = namesIn(method.headers)
  const values = Object.entries(made.values).filter(([name]) => used.includes(`value.${name}`))
  const end = endOfCertificates(method, fields)
  return {
    kind: 'obtained',
    secret: {
      kind: 'token_request',
      tenant: made.tenant,
      fields,
      token: new Secret(made.token),
      values: concealAll(Object.fromEntries(values)),
    },
    expiresInSeconds: made.expiresInSeconds,
    ...(end && { endsInSeconds: secondsUntil(end) }),
  }
}

/** No request with an expired certificate succeeds again. */
const hasExpired = (end: Date | null): boolean => end !== null && end < new Date()

export const tokenRequest: AuthorizationKind<
  TokenRequestMethod,
  TokenRequestSecret,
  PlainTokenRequestSecret
> = {
  type: 'token_request',
  toPlain: ({ kind, tenant, fields, token, values }) => ({
    kind,
    tenant,
    fields: revealAll(fields),
    token: token.reveal(),
    values: revealAll(values),
  }),
  fromPlain: ({ kind, tenant, fields, token, values }) => ({
    kind,
    tenant,
    fields: concealAll(fields),
    token: new Secret(token),
    values: concealAll(values),
  }),
  headers: (method, { tenant, fields, token, values }) =>
    fillHeaders(method?.headers ?? DEFAULT_HEADERS, {
      ...revealAll(fields),
      ...valuesOf(revealAll(values)),
      ...tenantValues(tenant),
      token: token.reveal(),
    }),
  clientCertificate: (method, { fields }) => method && clientCertificateOf(method, fields),
  secretTexts: (method, { fields, token, values }) => [
    token.reveal(),
    ...Object.values(values).map(value => value.reveal()),
    ...(method?.fields ?? [])
      .filter(({ secret }) => secret)
      .flatMap(({ name }) => fields[name]?.reveal() ?? []),
  ],
  renewal: {
    by: 'own_request',
    // Only a definite answer ends a credential. At the form, any refusal means that the values are wrong.
    renew: async ({ egress }, method, secret) => {
      const made = await request(egress, method, secret)
      if (made.kind === 'obtained') return made
      if (hasExpired(endOfCertificates(method, secret.fields))) return { kind: 'rejected' }
      if (made.kind !== 'refused') return made
      return made.isFinal ? { kind: 'rejected' } : { kind: 'unavailable', timedOut: false }
    },
  },
  entered: ({ fields }) => fields,
  obtain: async ({ egress }, method, values) => {
    const made = await request(egress, method, values)
    return made.kind === 'refused' ? { kind: 'rejected' } : made
  },
}
