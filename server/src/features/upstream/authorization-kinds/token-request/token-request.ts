import type { TokenRequestMethod } from '@carabiner/contract'
import { SECOND } from '../../../../core/duration.ts'
import { Secret } from '../../../../core/secret.ts'
import { newUuid } from '../../../../core/uuid.ts'
import { type Egress, EgressError } from '../../../../platform/egress/egress.ts'
import type { AuthorizationKind, FormValues, ObtainedSecret, Tenant } from '../../authorization-kind.ts'
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

const reveal = (secrets: Record<string, Secret>): Record<string, string> =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]))
const conceal = (texts: Record<string, string>): Record<string, Secret> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new Secret(text)]))

const sendBefore =
  (egress: Egress, deadline: number): Send =>
  request => {
    const timeoutMs = deadline - performance.now()
    if (timeoutMs <= 0) throw new EgressError('timeout', 'The token was not returned in time.')
    return egress.request({ ...request, timeoutMs })
  }

const request = async (egress: Egress, method: TokenRequestMethod, { tenant, fields }: FormValues) => {
  const send = sendBefore(egress, performance.now() + TIMEOUT_MS)
  const moment = { now: new Date(), id: newUuid() }
  const made = await makeToken({ send, moment }, method, { tenant, fields: reveal(fields) })
  return made.kind === 'made' ? obtained(method, fields, made) : made
}

const obtained = (
  method: TokenRequestMethod,
  fields: Record<string, Secret>,
  made: Extract<Awaited<ReturnType<typeof makeToken>>, { kind: 'made' }>,
): ObtainedSecret<TokenRequestSecret> => {
  const used = namesIn(method.headers)
  const values = Object.entries(made.values).filter(([name]) => used.includes(`value.${name}`))
  return {
    kind: 'obtained',
    secret: {
      kind: 'token_request',
      tenant: made.tenant,
      fields,
      token: new Secret(made.token),
      values: conceal(Object.fromEntries(values)),
    },
    expiresInSeconds: made.expiresInSeconds,
  }
}

export const tokenRequest: AuthorizationKind<
  TokenRequestMethod,
  TokenRequestSecret,
  PlainTokenRequestSecret
> = {
  type: 'token_request',
  toPlain: ({ kind, tenant, fields, token, values }) => ({
    kind,
    tenant,
    fields: reveal(fields),
    token: token.reveal(),
    values: reveal(values),
  }),
  fromPlain: ({ kind, tenant, fields, token, values }) => ({
    kind,
    tenant,
    fields: conceal(fields),
    token: new Secret(token),
    values: conceal(values),
  }),
  headers: (method, { tenant, fields, token, values }) =>
    fillHeaders(method?.headers ?? DEFAULT_HEADERS, {
      ...reveal(fields),
      ...valuesOf(reveal(values)),
      ...tenantValues(tenant),
      token: token.reveal(),
    }),
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
