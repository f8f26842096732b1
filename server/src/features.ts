import { oauthMethod } from '@carabiner/contract'
import type { AuditTrail } from './core/audited-change.ts'
import type { CheckRoutingCode } from './core/organization-state.ts'
import type { AuthenticateKey, AuthenticateSession } from './edge/principal.ts'
import { type ApprovalMetrics, createApprovalMetrics } from './features/approvals/approval-metrics.ts'
import {
  type ClientDocuments,
  createClientDocuments,
} from './features/authorization/clients/client-documents.ts'
import {
  createProviderDiscovery,
  type ProviderDiscovery,
} from './features/authorization/settings/provider-discovery.ts'
import { type Connectors, createConnectors } from './features/connectors/availability.ts'
import { loadCatalog } from './features/connectors/catalog/catalog.ts'
import { createMcpConnectors, type McpConnectors } from './features/connectors/mcp-servers/mcp-connectors.ts'
import type { Refreshing } from './features/credentials/held-credential.ts'
import { type CountRefresh, createRefreshCounter } from './features/credentials/refresh-metrics.ts'
import { createHealthReader, type HealthReader } from './features/credentials/risks/health-reader.ts'
import { alertOnBreak, createAuditTrail } from './features/events/audit-trail.ts'
import { createEventStreams, type EventStreams } from './features/events/event-streams.ts'
import { type ConfirmCode, createConfirmCode } from './features/link/sessions/confirm-code.ts'
import { createMintLinkToken, type MintLinkToken } from './features/link/sessions/mint-link-token.ts'
import { createSessionStreams, type SessionStreams } from './features/link/sessions/session-streams.ts'
import { createSessionAuthenticator } from './features/members/authenticate-session.ts'
import { createInvitationSender, type SendInvitation } from './features/members/send-invitation.ts'
import { createServiceApps } from './features/oauth/oauth-app.ts'
import { createOAuthApps, type OAuthApps } from './features/oauth/oauth-apps.ts'
import { apiKeyStore } from './features/organizations/api-key-store.ts'
import { createKeyAuthenticator } from './features/organizations/authenticate-key.ts'
import { createRoutingCheck } from './features/organizations/check-routing-code.ts'
import { createPageLimits, type PageLimits } from './features/pages/page-limits.ts'
import { createPolicyHooks, type PolicyHooks } from './features/policies/hooks/policy-hooks.ts'
import { createPolicyReader, type PolicyReader } from './features/policies/policy-reader.ts'
import { type CheckPatterns, createPatternChecker } from './features/rules/check-patterns.ts'
import { createRuleCache, type RuleCache } from './features/rules/rule-cache.ts'
import { securityRuleStore } from './features/rules/security-rule-store.ts'
import { createPreviewReader } from './features/tools/calls/preview-call.ts'
import { createSharedResults, type SharedResults } from './features/tools/calls/shared-results.ts'
import { type CallsInFlight, createCallsInFlight } from './features/tools/mcp-endpoint/calls-in-flight.ts'
import { mcpKeyStore } from './features/tools/mcp-keys/mcp-key-store.ts'
import { type CallMetrics, createCallMetrics } from './features/tools/observation/call-metrics.ts'
import { createOpenStreams, type OpenStreams } from './features/tools/requested-calls/open-streams.ts'
import { type ArgumentCheck, createArgumentCheck } from './features/tools/steps/call/argument-check.ts'
import type { PreviewReader } from './features/tools/steps/call/call-step.ts'
import { type AcceptedTasks, createAcceptedTasks } from './features/tools/tasks/accepted-tasks.ts'
import { createMcpSessions, type McpSessions } from './features/upstream/mcp-client/sessions.ts'
import { createTraffic, type Traffic } from './features/upstream/traffic/traffic.ts'
import { createWebhookMetrics, type WebhookMetrics } from './features/webhooks/webhook-metrics.ts'
import type { Cells } from './platform/cells.ts'
import type { Config } from './platform/config.ts'
import { createBatchedQueries } from './platform/database/batched-queries.ts'
import type { Database, Queryable } from './platform/database/database.ts'
import type { ReadDatabase } from './platform/database/read-database.ts'
import type { Egress } from './platform/egress/egress.ts'
import { createIdempotencyStore, type IdempotencyStore } from './platform/idempotency-store.ts'
import type { IsolatedPool } from './platform/isolation/isolated-pool.ts'
import { createWakeUps, type WakeUpOptions, type WakeUps } from './platform/jobs/wake-ups.ts'
import { createLastUses, type LastUses } from './platform/last-uses.ts'
import type { Log } from './platform/log.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { createMailSender, type SendMail } from './platform/send-mail.ts'
import { createSingleFlight } from './platform/single-flight.ts'
import type { TombstoneLog } from './platform/tombstone-log.ts'
import type { Tracing } from './platform/tracing/tracing.ts'
import type { Signer, Vault } from './platform/vault/vault.ts'

/** All dependencies of routes and jobs, created once. Each declares only what it uses. */
export type Features = {
  db: Database
  lists: ReadDatabase
  batched: Queryable
  vault: Vault
  signer: Signer
  egress: Egress
  isolated: IsolatedPool
  metrics: Metrics
  tracing: Tracing | null
  callMetrics: CallMetrics
  sharedResults: SharedResults
  acceptedTasks: AcceptedTasks
  webhookMetrics: WebhookMetrics
  approvalMetrics: ApprovalMetrics
  countRefresh: CountRefresh
  log: Log
  baseUrl: string
  taskApprovalHours: number
  linkUrl: string
  version: string
  connectors: Connectors
  apps: OAuthApps
  health: HealthReader
  mcpConnectors: McpConnectors
  sessions: McpSessions
  traffic: Traffic
  refreshing: Refreshing
  limits: PageLimits
  clientDocuments: ClientDocuments
  discoverProvider: ProviderDiscovery
  wakeUps: WakeUps
  streams: SessionStreams
  openStreams: OpenStreams
  eventStreams: EventStreams
  callsInFlight: CallsInFlight
  idempotency: IdempotencyStore
  tombstones: TombstoneLog
  cells: Cells | null
  audit: AuditTrail
  /** The last use of API keys and MCP keys. */
  keyUses: LastUses
  authenticateKey: AuthenticateKey
  authenticateSession: AuthenticateSession
  /** Signs the cookies of the dashboard and encrypts second factors. */
  authSecret: string
  singleSignOn: Config['singleSignOn']
  sendMail: SendMail
  sendInvitation: SendInvitation
  checkRoutingCode: CheckRoutingCode
  mintLinkToken: MintLinkToken
  confirmCode: ConfirmCode
  checkArguments: ArgumentCheck
  previewOf: PreviewReader
  ruleCache: RuleCache
  policies: PolicyReader
  policyHooks: PolicyHooks
  checkPatterns: CheckPatterns
  tokenRevokingConnectors: string[]
  /** Wakes the worker because a token is waiting for its revocation. */
  afterRevocation: () => void
}

type Platform = {
  db: Database
  /** For lists that decide nothing. */
  lists: ReadDatabase
  vault: Vault
  egress: Egress
  isolated: IsolatedPool
  metrics: Metrics
  /** Null: tracing is off. */
  tracing: Tracing | null
  log: Log
  tombstones: TombstoneLog
  /** Null: this is the only installation. */
  cells: Cells | null
  version: string
  sandboxUrl: string | undefined
  afterRevocation: () => void
  wakeUpOptions?: WakeUpOptions
}

export const createFeatures = async (
  config: Pick<Config, 'taskApprovalHours' | 'baseUrl' | 'linkUrl' | 'oauthApps' | 'connectorsDirectory'> &
    Partial<Pick<Config, 'credentialWarningDays' | 'connectors' | 'standIns' | 'singleSignOn' | 'mail'>>,
  platform: Platform,
): Promise<Features> => {
  const { db, vault, metrics, afterRevocation, sandboxUrl } = platform
  const { baseUrl, linkUrl } = config
  const { signer } = vault
  const authSecret = Buffer.concat(
    ['cookies', 'second factors'].map(part => signer.sign('dashboard', part)),
  ).toString('base64url')
  const wakeUps = createWakeUps(platform, platform.wakeUpOptions)
  const catalog = loadCatalog(
    sandboxUrl === undefined ? {} : { sandbox_url: sandboxUrl },
    config.connectorsDirectory,
    {
      ...(config.connectors && { only: config.connectors }),
      ...(config.standIns && { standIns: config.standIns }),
    },
  )
  const apps = createOAuthApps({ db, vault, service: createServiceApps(config.oauthApps) })
  const connectors = await createConnectors({ db, catalog, apps, baseUrl })
  const tokenRevokingConnectors = catalog
    .all()
    .filter(connector => oauthMethod(connector)?.revocation?.ends === 'token')
    .map(({ slug }) => slug)
  const catalogSlugs = catalog.all().map(({ slug }) => slug)
  const batched = createBatchedQueries(db)
  const checkPatterns = createPatternChecker(platform.isolated)
  const checkRoutingCode = createRoutingCheck(platform)
  const sessions = createMcpSessions()
  const traffic = createTraffic()
  const sendMail = createMailSender(config.mail)
  const keyUses = createLastUses(
    uses => Promise.all([apiKeyStore.markUsed(db, uses), mcpKeyStore.markUsed(db, uses)]),
    platform,
  )
  return {
    ...platform,
    batched,
    signer,
    baseUrl,
    linkUrl,
    taskApprovalHours: config.taskApprovalHours,
    connectors,
    apps,
    health: createHealthReader({ connectors, apps, warningDays: config.credentialWarningDays ?? 3 }),
    mcpConnectors: createMcpConnectors({ ...platform, baseUrl }),
    sessions,
    traffic,
    refreshing: createSingleFlight(),
    countRefresh: createRefreshCounter(metrics, catalogSlugs),
    callMetrics: createCallMetrics(metrics, catalogSlugs),
    sharedResults: createSharedResults(),
    acceptedTasks: createAcceptedTasks({ ...platform, wakeUps }),
    webhookMetrics: createWebhookMetrics(metrics),
    approvalMetrics: createApprovalMetrics(metrics),
    tokenRevokingConnectors,
    limits: createPageLimits(),
    clientDocuments: createClientDocuments(platform.egress),
    discoverProvider: createProviderDiscovery(platform.egress),
    wakeUps,
    streams: createSessionStreams({ db, wakeUps }),
    openStreams: createOpenStreams({ db, wakeUps }),
    eventStreams: createEventStreams({ db, wakeUps }),
    callsInFlight: createCallsInFlight(wakeUps),
    idempotency: createIdempotencyStore(db, vault),
    audit: createAuditTrail({ db, signer, onBreak: alertOnBreak(platform.log) }),
    keyUses,
    authenticateKey: createKeyAuthenticator({ db, keyUses, checkRoutingCode }),
    authenticateSession: createSessionAuthenticator({ db, baseUrl, authSecret }),
    authSecret,
    singleSignOn: config.singleSignOn,
    sendMail,
    sendInvitation: createInvitationSender({ sendMail, baseUrl, log: platform.log }),
    checkRoutingCode,
    mintLinkToken: createMintLinkToken({ db, signer, connectors, apps, baseUrl }),
    confirmCode: createConfirmCode({ db, cells: platform.cells, tokenRevokingConnectors, afterRevocation }),
    checkArguments: createArgumentCheck(platform),
    previewOf: createPreviewReader({ ...platform, traffic, sessions }),
    checkPatterns,
    ruleCache: createRuleCache({ read: owner => securityRuleStore.read(db, owner), checkPatterns }),
    policies: createPolicyReader(db),
    policyHooks: createPolicyHooks(platform),
  }
}
