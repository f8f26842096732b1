import {
  type AwsSignatureMethod,
  type ConnectorFile,
  isFormMethod,
  type TokenRequestMethod,
  type ToolPagination,
} from '@carabiner/contract'
import type { Step } from './connector-problem.ts'

/**
 * The use of an address: `credential` receives the credential, `oauth` only the client secret or a browser, `token_request` what the
 * user has entered, and `reading` is for people.
 */
export type AddressUse = 'credential' | 'oauth' | 'token_request' | 'origin' | 'reading'
export type Address = { path: Step[]; url: string; use: AddressUse }

type Rewrite = (address: Address) => string

/** Rewrites every address of a file. This is the only traversal of addresses; `addressesOf` uses it without changes. */
export const mapAddresses = (file: ConnectorFile, rewrite: Rewrite): ConnectorFile => {
  const at = (use: AddressUse, url: string, ...path: Step[]): string => rewrite({ path, url, use })
  return {
    ...file,
    documentation_url: at('reading', file.documentation_url, 'documentation_url'),
    authorization: file.authorization.map((method, index) => mapMethod(method, index, at)),
    ...(file.identity && {
      identity: {
        ...file.identity,
        url: at('credential', file.identity.url, 'identity', 'url'),
        ...(file.identity.ends_at?.url !== undefined && {
          ends_at: {
            ...file.identity.ends_at,
            url: at('credential', file.identity.ends_at.url, 'identity', 'ends_at', 'url'),
          },
        }),
      },
    }),
    credential_origins: file.credential_origins.map((url, index) =>
      at('origin', url, 'credential_origins', index),
    ),
    tools: file.tools.map((tool, index) => ({
      ...tool,
      request: { ...tool.request, url: at('credential', tool.request.url, 'tools', index, 'request', 'url') },
      ...(tool.pagination && { pagination: mapPagination(tool.pagination, index, at) }),
    })),
    ...(file.mcp && { mcp: { ...file.mcp, url: at('credential', file.mcp.url, 'mcp', 'url') } }),
  }
}

type At = (use: AddressUse, url: string, ...path: Step[]) => string
type Method = ConnectorFile['authorization'][number]

const mapPagination = (pagination: ToolPagination, index: number, at: At): ToolPagination =>
  pagination.type === 'continuation'
    ? { ...pagination, url: at('credential', pagination.url, 'tools', index, 'pagination', 'url') }
    : pagination

type Here = (use: AddressUse, url: string, ...path: Step[]) => string

const mapTokenRequests = ({ token_origins, requests }: TokenRequestMethod, here: Here) => ({
  ...(token_origins && {
    token_origins: token_origins.map((url, index) => here('origin', url, 'token_origins', index)),
  }),
  requests: requests.map((request, index) => ({
    ...request,
    url: here('token_request', request.url, 'requests', index, 'url'),
  })),
})

const mapEndpoints = ({ endpoints }: AwsSignatureMethod, here: Here) =>
  endpoints.map((endpoint, index) => ({
    ...endpoint,
    origin: here('origin', endpoint.origin, 'endpoints', index, 'origin'),
  }))

const mapMethod = (method: Method, index: number, at: At): Method => {
  const here = (use: AddressUse, url: string, ...path: Step[]) =>
    at(use, url, 'authorization', index, ...path)
  if (isFormMethod(method))
    return {
      ...method,
      ...(method.help_url !== undefined && { help_url: here('reading', method.help_url, 'help_url') }),
      ...(method.type === 'token_request' && mapTokenRequests(method, here)),
      ...(method.type === 'aws_signature' && { endpoints: mapEndpoints(method, here) }),
    }
  if (method.type === 'oauth1')
    return {
      ...method,
      request_token_endpoint: here('oauth', method.request_token_endpoint, 'request_token_endpoint'),
      authorization_endpoint: here('oauth', method.authorization_endpoint, 'authorization_endpoint'),
      access_token_endpoint: here('oauth', method.access_token_endpoint, 'access_token_endpoint'),
    }
  const { issuer, refresh, revocation, site } = method
  return {
    ...method,
    ...(issuer !== undefined && { issuer: here('oauth', issuer, 'issuer') }),
    authorization_endpoint: here('oauth', method.authorization_endpoint, 'authorization_endpoint'),
    token_endpoint: here('oauth', method.token_endpoint, 'token_endpoint'),
    ...(refresh && {
      refresh: {
        ...refresh,
        ...(refresh.endpoint !== undefined && {
          endpoint: here('oauth', refresh.endpoint, 'refresh', 'endpoint'),
        }),
      },
    }),
    ...(revocation && {
      revocation: { ...revocation, endpoint: here('oauth', revocation.endpoint, 'revocation', 'endpoint') },
    }),
    ...(site && { site: { ...site, url: here('credential', site.url, 'site', 'url') } }),
  }
}

export const addressesOf = (file: ConnectorFile): Address[] => {
  const addresses: Address[] = []
  mapAddresses(file, address => {
    addresses.push(address)
    return address.url
  })
  return addresses
}

/** The origin of an address that may contain placeholders, such as `https://{tenant.site}.example.com`. */
export const originOf = (url: string): string => /^https?:\/\/[^/?#]*/.exec(url)?.[0]?.toLowerCase() ?? ''

/** Development only: replaces each origin on the left by the one on the right. */
export const withStandIns = (file: ConnectorFile, standIns: Record<string, string>): ConnectorFile =>
  mapAddresses(file, ({ url, use }) => {
    const origin = originOf(url)
    const standIn = use !== 'reading' && Object.hasOwn(standIns, origin) ? standIns[origin] : undefined
    return standIn === undefined ? url : `${standIn}${url.slice(origin.length)}`
  })
