import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type CheckRoutingCode, isServed } from '../../core/organization-state.ts'
import { MCP_PATH, readPackHandle } from '../../core/pack-handle.ts'
import { Refusal } from '../../core/refusal.ts'
import { readOrganizationHandle } from '../../core/token.ts'
import { allowAllOrigins } from '../../edge/cross-origin.ts'
import type { Database } from '../../platform/database/database.ts'
import { requestStore, type Target } from './requests/request-store.ts'
import { issuerOf, SIGN_IN_PATH } from './settings/sign-in-addresses.ts'

type Deps = { db: Database; baseUrl: string; checkRoutingCode: CheckRoutingCode }

/** The one scope: a token is for one user and one Tool Pack, and the pack decides what it contains. */
export const SCOPE = 'mcp'

/** RFC 7523. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const GRANT_TYPES = ['authorization_code', 'refresh_token', JWT_BEARER]

/** RFC 9728 §3.1. */
const RESOURCE_METADATA = `/.well-known/oauth-protected-resource${MCP_PATH}/:handle`
/** RFC 8414 §3.1 inserts the well-known path before the path of the issuer; some clients append it. */
const SERVER_METADATA = [
  `/.well-known/oauth-authorization-server${SIGN_IN_PATH}/:organization`,
  `${SIGN_IN_PATH}/:organization/.well-known/oauth-authorization-server`,
]

/** The documents by which a client finds out how to sign in. */
export const metadataRoutes = (app: FastifyInstance, { db, baseUrl, checkRoutingCode }: Deps): void => {
  allowAllOrigins(app, [RESOURCE_METADATA, ...SERVER_METADATA])
  app.get(RESOURCE_METADATA, async request => {
    const { handle } = request.params as { handle: string }
    const pack = readPackHandle(handle)
    const target = pack && (await requestStore.findTarget(db, pack))
    if (!target || !isServed(target.organizationState)) {
      await checkRoutingCode(pack?.routingCode ?? null)
      throw new Refusal('not_found')
    }
    return {
      resource: `${baseUrl}${MCP_PATH}/${handle}`,
      resource_name: resourceName(target),
      authorization_servers: [issuerOf(baseUrl, target.organizationId)],
      scopes_supported: [SCOPE],
      bearer_methods_supported: ['header'],
    }
  })

  const document = async ({ params }: FastifyRequest) => {
    const organizationId = readOrganizationHandle((params as { organization: string }).organization)
    if (organizationId === null) throw new Refusal('not_found')
    return serverMetadata(issuerOf(baseUrl, organizationId))
  }
  for (const path of SERVER_METADATA) app.get(path, document)
}

/** Clients show it to their users, who know the organization and not its packs. */
const resourceName = ({ organizationName, packName, isDefaultPack }: Target): string =>
  isDefaultPack ? organizationName : `${organizationName}: ${packName}`

/** RFC 8414 §2. */
const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  // Identity Assertion JWT Authorization Grant §7.
  authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})
