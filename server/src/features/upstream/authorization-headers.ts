import { apiKeyMethod, type ConnectorFile, oauthMethod } from '@carabiner/contract'
import type { Secret } from '../../core/secret.ts'
import { fillAddress, fillHeaders, fillText } from './template.ts'

/** What a call is made with, and at which of the third party's customers. */
export type CallSecret = { tenant: Record<string, string> } & (
  | { kind: 'oauth'; accessToken: Secret }
  | { kind: 'api_key'; fields: Record<string, Secret> }
)

/** A credential goes to its connector's own origins and nowhere else, whatever a tool's address says. */
export const authorizationHeaders = (
  connector: ConnectorFile,
  secret: CallSecret,
  url: string,
): Record<string, string> => {
  const { origin } = new URL(url)
  const allowed = connector.credential_origins.map(
    template => new URL(fillAddress(template, secret.tenant)).origin,
  )
  if (!allowed.includes(origin))
    throw new Error(`the credential of ${connector.slug} may not be sent to ${origin}`)
  return secret.kind === 'oauth' ? tokenHeaders(connector, secret.accessToken) : keyHeaders(connector, secret)
}

const tokenHeaders = (connector: ConnectorFile, accessToken: Secret): Record<string, string> => {
  const token = accessToken.reveal()
  const { headers } = oauthMethod(connector) ?? {}
  return headers ? fillHeaders(headers, { token }) : { authorization: `Bearer ${token}` }
}

const keyHeaders = (
  connector: ConnectorFile,
  { fields }: Extract<CallSecret, { kind: 'api_key' }>,
): Record<string, string> => {
  const method = apiKeyMethod(connector)
  if (!method) throw new Error(`${connector.slug} does not take an API key`)
  const values = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.reveal()]))
  const headers = fillHeaders(method.headers, values)
  if (!method.basic) return headers
  const pair = `${fillText(method.basic.username, values) ?? ''}:${fillText(method.basic.password, values) ?? ''}`
  return { ...headers, authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` }
}
