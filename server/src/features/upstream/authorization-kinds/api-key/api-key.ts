import type { ApiKeyMethod } from '@carabiner/contract'
import type { Secret } from '../../../../core/secret.ts'
import type { AuthorizationKind, Tenant } from '../../authorization-kind.ts'
import { concealAll, revealAll } from '../../secret-values.ts'
import { basicCredentials, fillHeaders, tenantValues } from '../../templates/template.ts'

export type ApiKeySecret = Tenant & { kind: 'api_key'; fields: Record<string, Secret> }
type PlainApiKeySecret = Tenant & { kind: 'api_key'; fields: Record<string, string> }

const headers = (method: ApiKeyMethod | null, { fields, tenant }: ApiKeySecret): Record<string, string> => {
  if (!method) throw new Error('the connector does not use an API key')
  const values = { ...revealAll(fields), ...tenantValues(tenant) }
  return {
    ...fillHeaders(method.headers, values),
    ...(method.basic && { authorization: `Basic ${basicCredentials(method.basic, values)}` }),
  }
}

export const apiKey: AuthorizationKind<ApiKeyMethod, ApiKeySecret, PlainApiKeySecret> = {
  type: 'api_key',
  toPlain: ({ tenant, fields }) => ({
    kind: 'api_key',
    tenant,
    fields: revealAll(fields),
  }),
  fromPlain: ({ tenant, fields }) => ({
    kind: 'api_key',
    tenant,
    fields: concealAll(fields),
  }),
  headers,
  secretTexts: (method, secret) => [
    ...(method?.fields ?? [])
      .filter(field => field.secret)
      .flatMap(({ name }) => secret.fields[name]?.reveal() ?? []),
    ...(method?.basic ? [headers(method, secret).authorization?.replace(/^Basic /, '') ?? ''] : []),
  ],
  renewal: null,
  entered: ({ fields }) => fields,
  asksFor: 'key',
  obtain: async (_, __, values) => ({
    kind: 'obtained',
    secret: { kind: 'api_key', ...values },
    expiresInSeconds: null,
  }),
}
