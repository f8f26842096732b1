import { groupsIn, type KeyGroup, keyMay, type NeededGroup } from '@carabiner/contract/key-groups'
import { isAllowed, type Permission, type Role } from '@carabiner/contract/permissions'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../core/audited-change.ts'
import type { Mode } from '../core/mode.ts'
import { Refusal } from '../core/refusal.ts'
import { parseToken } from '../core/token.ts'
import { isUuid } from '../core/uuid.ts'

/**
 * The authenticated caller: an API key of an organization and mode, or a person who is signed in to the dashboard. `role` is null for
 * a key, and for a person who is not a member of the organization.
 */
export type Principal = {
  organizationId: string
  mode: Mode
  actor: Actor
  role: Role | null
  /** The groups of a restricted key. Null or absent: the key is not restricted, or the caller is a person. */
  keyGroups?: readonly KeyGroup[] | null
  /** The person has signed in within the last ten minutes. */
  hasRecentSignIn?: boolean
}

/** Members may do what their role allows. Beyond reading, a restricted key needs the group `settings`. */
export const principalMay = (
  { actor, role, keyGroups = null }: Principal,
  permission: Permission,
): boolean => {
  if (role !== null) return isAllowed(role, permission)
  return actor.type === 'api_key' && keyMay(keyGroups, permission === 'read' ? 'read' : 'settings')
}

/** Throws if the key lacks the group of an operation. Null: no restricted key is accepted. */
export const requireKeyGroup = ({ keyGroups = null }: Principal, group: NeededGroup): void => {
  if (keyMay(keyGroups, group)) return
  throw group === null
    ? new Refusal('unrestricted_key_required', { param: 'Authorization' })
    : new Refusal('key_group_required', {
        param: 'Authorization',
        message: `This API key does not have the group ${groupsIn(group)
          .map(name => `\`${name}\``)
          .join(' or ')}, which the request needs.`,
      })
}

export type AuthenticateKey = (key: string) => Promise<Principal | null>
/**
 * Throws if the session has ended, or if the person is not a member of the organization. `isRecent`: the person has signed in within
 * the last ten minutes.
 */
export type AuthenticateSession = (
  request: FastifyRequest,
  organizationId: string,
) => Promise<{ actor: Actor; role: Role; isRecent: boolean }>

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
  }
  interface FastifyContextConfig {
    /** The group that a restricted key needs. `any`: the requests that the route makes are checked. Default: no restricted key is accepted. */
    group?: NeededGroup | 'any'
    /** For keys, origins and settings of the organization, which a test key must not access. */
    productionKeyOnly?: boolean
    /** For changes of people: accepts a member who is signed in to the dashboard, and no key. */
    personOnly?: boolean
    /** The person must have signed in within the last ten minutes, so that a stolen cookie is not enough. */
    recentSignIn?: boolean
    /** What a member must be allowed to do. Default: `read` for a GET, otherwise `build`. */
    permission?: Permission
  }
}

/** RFC 6750 §2.1. */
export const readBearer = ({ headers }: FastifyRequest): string | null =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null

export const bearerToken = (request: FastifyRequest): string => {
  const token = readBearer(request)
  if (token === null) throw new Refusal('missing_api_key', { param: 'Authorization' })
  return token
}

type Authentication = {
  authenticateKey: AuthenticateKey
  authenticateSession: AuthenticateSession
  baseUrl: string
}

/** The dashboard names the organization and the mode in headers, which other sites cannot send. */
export const ORGANIZATION_HEADER = 'carabiner-organization'
export const MODE_HEADER = 'carabiner-mode'
/** The person whose data the page has loaded. Someone else may have signed in since, for example on another tab. */
export const PERSON_HEADER = 'carabiner-person'

export const permissionOf = (method: string, config: { permission?: Permission }): Permission =>
  config.permission ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'build')

export const principalHook =
  (authentication: Authentication) => async (request: FastifyRequest, _reply: FastifyReply) => {
    if (request.headers.authorization === undefined && request.headers[ORGANIZATION_HEADER] !== undefined)
      request.principal = await memberOf(authentication, request)
    else request.principal = await keyOf(authentication.authenticateKey, request)
  }

const keyOf = async (authenticateKey: AuthenticateKey, request: FastifyRequest): Promise<Principal> => {
  const key = bearerToken(request)
  if (parseToken('mcpKey', key)) throw new Refusal('mcp_key_not_accepted', { param: 'Authorization' })
  const principal = await authenticateKey(key)
  if (!principal) throw new Refusal('invalid_api_key', { param: 'Authorization' })
  // The hook of the audit trail records the denied attempt of this principal.
  request.principal = principal
  const { personOnly, productionKeyOnly, group = null } = request.routeOptions.config
  if (personOnly) throw new Refusal('person_required')
  if (productionKeyOnly && principal.mode !== 'production') throw new Refusal('production_key_required')
  if (group !== 'any') requireKeyGroup(principal, group)
  return principal
}

const memberOf = async (
  { authenticateSession, baseUrl }: Authentication,
  request: FastifyRequest,
): Promise<Principal> => {
  requireOwnOrigin(request, baseUrl)
  const organizationId = request.headers[ORGANIZATION_HEADER]
  const mode = request.headers[MODE_HEADER] ?? 'production'
  if (typeof organizationId !== 'string' || !isUuid(organizationId))
    throw new Refusal('not_a_member', { param: 'Carabiner-Organization' })
  if (mode !== 'production' && mode !== 'test')
    throw new Refusal('invalid_request', {
      param: 'Carabiner-Mode',
      message: 'Carabiner-Mode must be `production` or `test`.',
    })
  const { role, actor, isRecent } = await authenticateSession(request, organizationId.toLowerCase())
  request.principal = {
    organizationId: organizationId.toLowerCase(),
    mode,
    actor,
    role,
    hasRecentSignIn: isRecent,
  }
  const { config } = request.routeOptions
  if (!principalMay(request.principal, permissionOf(request.method, config)))
    throw new Refusal('permission_denied')
  if (config.recentSignIn && !isRecent) throw new Refusal('recent_sign_in_required')
  return request.principal
}

/** A browser sends Origin with every request that is not a simple GET, and Sec-Fetch-Site with all of them. */
export const requireOwnOrigin = ({ method, headers }: FastifyRequest, baseUrl: string): void => {
  const { origin } = new URL(baseUrl)
  const isOwn = headers.origin === undefined ? method === 'GET' : headers.origin === origin
  const site = headers['sec-fetch-site']
  if (!isOwn || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    throw new Refusal('cross_site_request')
}
