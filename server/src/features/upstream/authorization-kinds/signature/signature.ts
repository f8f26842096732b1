import type { SignatureMethod } from '@carabiner/contract'
import type { Secret } from '../../../../core/secret.ts'
import type { AuthorizationKind, Tenant } from '../../authorization-kind.ts'
import { concealAll, revealAll } from '../../secret-values.ts'
import { tenantValues } from '../../templates/template.ts'
import { signRequest } from './sign-request.ts'

export type SignatureSecret = Tenant & { kind: 'signature'; fields: Record<string, Secret> }
type PlainSignatureSecret = Tenant & { kind: 'signature'; fields: Record<string, string> }

export const signature: AuthorizationKind<SignatureMethod, SignatureSecret, PlainSignatureSecret> = {
  type: 'signature',
  toPlain: ({ kind, tenant, fields }) => ({ kind, tenant, fields: revealAll(fields) }),
  fromPlain: ({ kind, tenant, fields }) => ({ kind, tenant, fields: concealAll(fields) }),
  headers: () => ({}),
  sign: (method, { tenant, fields }, request, moment) => {
    if (!method) throw new Error('the connector does not say how its requests are signed')
    return signRequest(method.scheme, { ...revealAll(fields), ...tenantValues(tenant) }, request, moment)
  },
  secretTexts: (method, { fields }) =>
    (method?.fields ?? []).flatMap(({ name, secret }) => (secret ? (fields[name]?.reveal() ?? []) : [])),
  renewal: null,
  entered: ({ fields }) => fields,
  obtain: async (_, __, values) => ({
    kind: 'obtained',
    secret: { kind: 'signature', ...values },
    expiresInSeconds: null,
  }),
}
