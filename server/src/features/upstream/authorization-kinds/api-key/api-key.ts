import type { ApiKeyMethod } from '@carabiner/contract'
import { Secret } from '../../../../core/secret.ts'
import type { AuthorizationKind, Tenant } from '../../authorization-kind.ts'
import { basicCredentials, fillHeaders, tenantValues } from '../../templates/template.ts'

export type ApiKeySecret = Tenant & { kind: 'api_key'; fields: Record<string, Secret> }
type PlainApiKeySecret = Tenant & { kind: 'api_key'; fields: Record<string, string> }

const mapValues = <From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

const headers = (method: ApiKeyMethod | null, { fields, tenant }: ApiKeySecret): Record<string, string> => {
  if (!method) throw new Error('the connector does not use an API key')
  const values = { ...mapValues(fields, value => value.reveal()), ...tenantValues(tenant) }
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
    fields: mapValues(fields, value => value.reveal()),
  }),
  fromPlain: ({ tenant, fields }) => ({
    kind: 'api_key',
    tenant,
    fields: mapValues(fields, value => new Secret(value)),
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
