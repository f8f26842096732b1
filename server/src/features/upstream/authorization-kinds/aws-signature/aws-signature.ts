import type { AwsSignatureMethod } from '@carabiner/contract'
import { Secret } from '../../../../core/secret.ts'
import { signAwsRequest } from '../../../../core/signing/aws-signature-v4.ts'
import type { AuthorizationKind, FormValues, Tenant } from '../../authorization-kind.ts'
import { fillAddress, fillText, namesIn, tenantValues } from '../../templates/template.ts'

export type AwsSecret = Tenant & {
  kind: 'aws_signature'
  accessKeyId: string
  secretAccessKey: Secret
  sessionToken: Secret | null
}
type PlainAwsSecret = Tenant & {
  kind: 'aws_signature'
  access_key_id: string
  secret_access_key: string
  session_token: string | null
}

export const awsSignature: AuthorizationKind<AwsSignatureMethod, AwsSecret, PlainAwsSecret> = {
  type: 'aws_signature',
  toPlain: ({ kind, tenant, accessKeyId, secretAccessKey, sessionToken }) => ({
    kind,
    tenant,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey.reveal(),
    session_token: sessionToken?.reveal() ?? null,
  }),
  fromPlain: ({ kind, tenant, access_key_id, secret_access_key, session_token }) => ({
    kind,
    tenant,
    accessKeyId: access_key_id,
    secretAccessKey: new Secret(secret_access_key),
    sessionToken: session_token === null ? null : new Secret(session_token),
  }),
  headers: () => ({}),
  sign: (method, { tenant, accessKeyId, secretAccessKey, sessionToken }, request, { at }) =>
    signAwsRequest(request, {
      ...scopeOf(method, tenant, new URL(request.url).origin),
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
      at,
    }),
  secretTexts: (_, { secretAccessKey, sessionToken }) => [
    secretAccessKey.reveal(),
    ...(sessionToken ? [sessionToken.reveal()] : []),
  ],
  renewal: null,
  entered: ({ accessKeyId, secretAccessKey, sessionToken }) => ({
    access_key_id: new Secret(accessKeyId),
    secret_access_key: secretAccessKey,
    ...(sessionToken && { session_token: sessionToken }),
  }),
  obtain: async (_, __, values) => ({ kind: 'obtained', secret: secretOf(values), expiresInSeconds: null }),
}

const secretOf = ({ tenant, fields }: FormValues): AwsSecret => {
  const { access_key_id: id, secret_access_key: secretAccessKey, session_token: sessionToken } = fields
  if (!id || !secretAccessKey) throw new Error('the form of an AWS access key lacks a field')
  return {
    kind: 'aws_signature',
    tenant,
    accessKeyId: id.reveal(),
    secretAccessKey,
    sessionToken: sessionToken ?? null,
  }
}

/** Region and service of the endpoint that a request is sent to. */
const scopeOf = (method: AwsSignatureMethod | null, tenant: Record<string, string>, origin: string) => {
  const values = tenantValues(tenant)
  const endpoint = method?.endpoints.find(
    ({ origin: template }) =>
      namesIn(template).every(name => Object.hasOwn(values, name)) &&
      new URL(fillAddress(template, tenant)).origin === origin,
  )
  const region = endpoint && fillText(endpoint.region, values)
  if (!endpoint || !region) throw new Error(`the connector does not say how requests to ${origin} are signed`)
  return { service: endpoint.service, region }
}
