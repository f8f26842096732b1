import { apiKeyMethod, type ConnectorFile, oauthMethod } from '@carabiner/contract'
import type { Secret } from '../../../core/secret.ts'
import { fillAddress, fillHeaders, fillText, namesIn, tenantValues } from './template.ts'

/** The credential of a call, and the tenant values of the provider account it belongs to. */
export type CallSecret = { tenant: Record<string, string> } & (
  | { kind: 'oauth'; accessToken: Secret }
  | { kind: 'api_key'; fields: Record<string, Secret> }
)

/** A credential is sent only to the origins that its connector declares, whatever the tool's URL is. */
export const authorizationHeaders = (
  connector: ConnectorFile,
  secret: CallSecret,
  url: string,
): Record<string, string> => {
  const { origin } = new URL(url)
  if (!allowedOrigins(connector, secret.tenant).includes(origin))
    throw new Error(`the credential of ${connector.slug} must not be sent to ${origin}`)
  return secret.kind === 'oauth' ? tokenHeaders(connector, secret.accessToken) : keyHeaders(connector, secret)
}

/** Origins with placeholders that have no value yet are skipped. */
const allowedOrigins = (connector: ConnectorFile, tenant: Record<string, string>): string[] =>
  connector.credential_origins
    .filter(template => namesIn(template).every(name => Object.hasOwn(tenantValues(tenant), name)))
    .map(template => new URL(fillAddress(template, tenant)).origin)

const tokenHeaders = (connector: ConnectorFile, accessToken: Secret): Record<string, string> => {
  const token = accessToken.reveal()
  const { headers } = oauthMethod(connector) ?? {}
  return fillHeaders(headers ?? { authorization: 'Bearer {token}' }, { token })
}

type KeySecret = Extract<CallSecret, { kind: 'api_key' }>

const keyHeaders = (connector: ConnectorFile, { fields, tenant }: KeySecret): Record<string, string> => {
  const method = apiKeyMethod(connector)
  if (!method) throw new Error(`${connector.slug} does not use an API key`)
  const typed = Object.entries(fields).map(([name, value]) => [name, value.reveal()] as const)
  const values = { ...Object.fromEntries(typed), ...tenantValues(tenant) }
  const headers = fillHeaders(method.headers, values)
  if (!method.basic) return headers
  const pair = `${fillText(method.basic.username, values) ?? ''}:${fillText(method.basic.password, values) ?? ''}`
  return { ...headers, authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` }
}

/** The secret values of a credential, including the Basic encoding. The scrubber derives other encodings itself. */
export const secretTexts = (connector: ConnectorFile, secret: CallSecret): string[] => {
  const revealed =
    secret.kind === 'oauth'
      ? [secret.accessToken.reveal()]
      : (apiKeyMethod(connector)?.fields ?? [])
          .filter(field => field.secret)
          .flatMap(({ name }) => secret.fields[name]?.reveal() ?? [])
  const basic =
    secret.kind === 'api_key' && apiKeyMethod(connector)?.basic
      ? keyHeaders(connector, secret).authorization?.replace(/^Basic /, '')
      : undefined
  return [...new Set([...revealed, basic ?? ''])].filter(text => text !== '')
}
