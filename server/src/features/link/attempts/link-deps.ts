import type { CheckRoutingCode } from '../../../core/organization-state.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { McpConnectors } from '../../connectors/mcp-servers/mcp-connectors.ts'
import type { OAuthApps } from '../../oauth/oauth-apps.ts'

export type LinkDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  mcpConnectors: McpConnectors
  checkRoutingCode: CheckRoutingCode
  baseUrl: string
  tokenRevokingConnectors: string[]
  afterRevocation: () => void
  log: Log
}
