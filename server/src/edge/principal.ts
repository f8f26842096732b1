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

export const bearerToken = (request: FastifyRequest): string => {
  const header = request.headers.authorization
  const match = header && /^Bearer +(\S+) *$/i.exec(header)
  if (!match?.[1]) throw new Refusal('missing_api_key', { param: 'Authorization' })
  return match[1]
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
