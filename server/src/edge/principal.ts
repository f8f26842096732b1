import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Mode } from '../core/mode.ts'
import { Refusal } from '../core/refusal.ts'
import { parseToken } from '../core/token.ts'

/** The authenticated caller: an organization, one of its modes and one of its keys. */
export type Principal = { organizationId: string; mode: Mode; apiKeyId: string; apiKeyHint: string }

export type AuthenticateKey = (key: string) => Promise<Principal | null>

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
  }
  interface FastifyContextConfig {
    /** For keys, origins and settings of the organization, which a test key must not access. */
    productionKeyOnly?: boolean
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

export const principalHook =
  (authenticateKey: AuthenticateKey) => async (request: FastifyRequest, _reply: FastifyReply) => {
    const key = bearerToken(request)
    if (parseToken('mcpKey', key)) throw new Refusal('mcp_key_not_accepted', { param: 'Authorization' })
    const principal = await authenticateKey(key)
    if (!principal) throw new Refusal('invalid_api_key', { param: 'Authorization' })
    request.principal = principal
    if (request.routeOptions.config.productionKeyOnly && principal.mode !== 'production') {
      throw new Refusal('production_key_required')
    }
  }
