import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICE_ACTOR } from '../../../server/src/core/audited-change.ts'
import { SECRET_FIELD } from '../../../server/src/features/connectors/mcp-servers/mcp-connector.ts'
import { regenerateProductionKey } from '../../../server/src/features/organizations/replace-api-key.ts'
import { type Database } from '../../../server/src/platform/database/database.ts'
import { plainStatement } from '../../../server/test/support/run-sql.ts'
import {
  createInstallation,
  type Installation,
  type ServiceProcess,
  startServiceProcess,
} from '../service-process.ts'
import { type Api, linkThroughPage, seedCallers } from './callers.ts'

/** The service with users who have linked the minimal upstream server. */
export type Gateway = {
  installation: Installation
  service: ServiceProcess
  /** A production key, whose calls are metered. */
  key: string
  /** The MCP endpoint of each user. */
  paths: string[]
  userIds: string[]
  api: Api
}

export const MCP_SLUG = 'bench'
export const HTTP_SLUG = 'bench-api'

/** A connector file for the HTTP API of the upstream server: an API key of the user, and one tool. */
const HTTP_CONNECTOR = {
  slug: HTTP_SLUG,
  name: 'Bench',
  summary: 'Echoes text',
  categories: ['productivity'],
  documentation_url: '{sandbox_url}/',
  authorization: [
    {
      type: 'api_key',
      fields: [{ name: 'api_key', label: 'API key', secret: true }],
      help_url: '{sandbox_url}/',
      headers: { authorization: 'Bearer {api_key}' },
    },
  ],
  identity: { url: '{sandbox_url}/api/me', account: '/account' },
  credential_origins: ['{sandbox_url}'],
  tools: [
    {
      name: 'echo',
      title: 'Echo',
      description: 'Returns the text.',
      input_schema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      scopes: [],
      request: { method: 'GET', url: '{sandbox_url}/api/echo', query: { text: '{text}' } },
      read_only: true,
    },
  ],
}

const offerEverything = plainStatement(
  'bench.offer_everything',
  'update tool_packs set connectors = null where organization_id = $1',
)

type GatewayOptions = {
  databaseUrl: string
  db: Database
  /** Origin of the upstream server. */
  upstream: string
  users: number
  profile?: string | undefined
  environment?: Record<string, string>
}

const writeConnectors = (opened: AsyncDisposableStack): string => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-connectors-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, `${HTTP_SLUG}.json`), JSON.stringify(HTTP_CONNECTOR))
  return folder
}

export const openGateway = async (
  opened: AsyncDisposableStack,
  { databaseUrl, db, upstream, users, profile, environment = {} }: GatewayOptions,
): Promise<Gateway> => {
  const installation = createInstallation(databaseUrl)
  opened.defer(() => installation.remove())
  const service = await startServiceProcess(installation, profile, {
    SANDBOX_URL: upstream,
    CONNECTORS_DIRECTORY: writeConnectors(opened),
    CONNECTORS: HTTP_SLUG,
    ...environment,
  })
  opened.defer(() => service.stop())
  const { organizationId } = service.demo
  // Only a hash of the demo's production key is stored, so a new key is created.
  const { key: secret } = await regenerateProductionKey(db, organizationId, SERVICE_ACTOR)
  const key = secret.reveal()
  // By default, the demo's Tool Pack offers only the sandbox connectors.
  await db.query(offerEverything, [organizationId])

  const api: Api = async (method, path, body) => {
    const response = await fetch(`${service.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

  await api('POST', '/connectors', {
    slug: MCP_SLUG,
    name: 'Bench',
    url: `${upstream}/mcp`,
    authentication: 'user_secret',
  })
  await linkThroughPage(api, MCP_SLUG, { [SECRET_FIELD]: 'bench-key-of-the-first' })
  const fields = { [MCP_SLUG]: SECRET_FIELD, [HTTP_SLUG]: 'api_key' }
  const userIds = await seedCallers(db, { installation, organizationId, users, fields })
  const pack = await api<{ id: string }>('POST', '/tool-packs', {
    name: 'Bench',
    connectors: [MCP_SLUG, HTTP_SLUG],
  })
  const paths = userIds.map(id => `/api/v1/tool-packs/${pack.id}/registered-users/${id}/mcp`)
  return { installation, service, key, paths, userIds, api }
}
