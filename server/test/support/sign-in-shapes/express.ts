import type { ConnectorField, TokenRequestMethod } from '@carabiner/contract'

/** What is known about how a provider issues a token: addresses and names, and no values. */
export type Shape = {
  provider: string
  mode: string
  token_url?: string
  method?: 'GET'
  parameters?: string[]
  /** Whether each connection presents a certificate. */
  client_certificate?: true
  /** Besides those for the content. */
  headers?: string[]
  body?: 'form' | 'json' | 'query' | 'xml'
  client_authentication?: 'basic' | 'private_key_jwt' | 'custom'
  further_requests?: { url: string; parameters: string[] }[]
  response?: { token: string; expires_in?: string; expires_at?: string }
  lifetime_seconds?: number
  /** What a person or organization enters. */
  fields?: string[]
  tenant?: string[]
}

type Request = TokenRequestMethod['requests'][number]

/** What the shape of a provider does not say: constants, signatures, and names that differ. */
export type Details = Partial<Omit<TokenRequestMethod, 'type' | 'requests' | 'fields'>> & {
  /** Templates of parameters. Others are taken from the field or tenant value of the same name. */
  values?: Record<string, unknown>
  requestHeaders?: Record<string, string>
  basic?: { username: string; password: string }
  fields?: string[]
  privateKey?: { name: string; type: 'rsa' | 'p256'; file?: { key: string; values?: Record<string, string> } }
  /** The field `certificate` is a certificate whose thumbprint is sent. */
  certificate?: true
  /** Replaces the request that is derived from the shape. */
  requests?: Request[]
  patterns?: Record<string, string>
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const CONSTANTS: Record<string, string> = {
  clientassertiontype: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  clientassertion: '{assertion.client}',
  assertion: '{assertion.grant}',
}

const grantType = (parameters: readonly string[]): string => {
  if (parameters.includes('assertion')) return 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  if (parameters.includes('password')) return 'password'
  return parameters.includes('refresh_token') ? 'refresh_token' : 'client_credentials'
}

const PUBLIC_FIELD = /(^|_)(id|username|user|email|login|org|name|identifier|scopes?|address)$/

const CLIENT_CERTIFICATE = { client_certificate: { private_key: 'private_key' } }

const lettersOf = (name: string): string =>
  name
    .split('_')
    .map((word, at) => (at === 0 ? word[0]?.toUpperCase() + word.slice(1) : word))
    .join(' ')

/** The fields, requests and token of a provider, as a connector file declares them. */
export const express = (
  shape: Shape,
  details: Details,
): { tenant: ConnectorField[]; method: TokenRequestMethod } => {
  const {
    values = {},
    requestHeaders = {},
    fields: named,
    privateKey,
    certificate,
    requests,
    patterns = {},
    basic,
    ...rest
  } = details
  const fields = named ?? shape.fields ?? ['client_id', 'client_secret']
  const parameters = shape.parameters ?? []
  const valueOf = (parameter: string): unknown => {
    if (parameter in values) return values[parameter]
    if (plain(parameter) === 'granttype') return grantType(parameters)
    const constant = CONSTANTS[plain(parameter)]
    if (constant !== undefined) return constant
    const field = fields.find(name => plain(name) === plain(parameter))
    if (field !== undefined) return `{${field}}`
    const tenant = shape.tenant?.find(name => plain(name) === plain(parameter))
    if (tenant !== undefined) return `{tenant.${tenant}}`
    throw new Error(`${shape.provider}: nothing says what ${parameter} is`)
  }
  const derivedRequest = (): Request => {
    const isGranted = shape.mode === 'oauth2_cc'
    const inBody =
      isGranted && shape.client_authentication === undefined ? ['client_id', 'client_secret'] : []
    const body = Object.fromEntries([...parameters, ...inBody].map(name => [name, valueOf(name)]))
    const format = shape.body ?? (isGranted ? 'form' : 'json')
    const client =
      basic ??
      (shape.client_authentication === 'basic'
        ? { username: '{client_id}', password: '{client_secret}' }
        : undefined)
    const [address, query] = (shape.token_url ?? '').split('?')
    return {
      ...(shape.method && { method: shape.method }),
      url: address as string,
      ...(query && { query: Object.fromEntries(new URLSearchParams(query)) }),
      ...(Object.keys(requestHeaders).length > 0 && { headers: requestHeaders }),
      ...(client && { basic: client }),
      ...(Object.keys(body).length > 0 &&
        (format === 'query' ? { query: body as Record<string, string> } : { [format]: body })),
      ...(shape.response?.token === '' && { response: 'text' as const }),
      values: valuesOf(shape),
    }
  }
  const { expires_in: lasts, expires_at: ends } = shape.response ?? { expires_in: '/expires_in' }
  const sent = requests ?? [derivedRequest()]
  return {
    tenant: (shape.tenant ?? []).map(name => ({
      name,
      label: lettersOf(name),
      secret: false,
      pattern: patterns[name] ?? '^[a-zA-Z0-9][a-zA-Z0-9.-]*$',
    })),
    method: {
      type: 'token_request',
      fields: fields.map(name => ({
        name,
        label: lettersOf(name),
        secret: !PUBLIC_FIELD.test(name),
        ...(patterns[name] !== undefined && { pattern: patterns[name] }),
        ...(shape.client_certificate && name === 'certificate' && CLIENT_CERTIFICATE),
        ...(certificate && name === 'certificate' && { certificate: { private_key: 'private_key' } }),
        ...(privateKey?.name === name && {
          private_key: { type: privateKey.type, ...(privateKey.file && { file: privateKey.file }) },
        }),
      })),
      ...(sent.length > 0 && { token_origins: [...new Set(sent.map(({ url }) => originOf(url)))] }),
      requests: sent,
      token: {
        value: '{value.token}',
        ...(lasts !== undefined && { expires_in: { value: 'expires', unit: 'seconds' as const } }),
        ...(ends !== undefined && { expires_at: { value: 'expires', format: 'iso' as const } }),
        lifetime_seconds: shape.lifetime_seconds ?? 3600,
      },
      ...rest,
    },
  }
}

/** The origin of a template of an address. */
const originOf = (url: string): string => /^https:\/\/[^/]+/.exec(url)?.[0] ?? url

const valuesOf = ({ response }: Shape): Record<string, string> => {
  const {
    token,
    expires_in: lasts,
    expires_at: ends,
  } = response ?? { token: '/access_token', expires_in: '/expires_in' }
  const expires = lasts ?? ends
  return { token, ...(expires !== undefined && { expires }) }
}
