import { readFileSync } from 'node:fs'
import { type Operation, operations } from '@carabiner/contract/operations'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { MINUTE } from './core/duration.ts'
import { Refusal } from './core/refusal.ts'
import { randomBase62 } from './core/token.ts'
import { isUuid } from './core/uuid.ts'
import { collectAddresses } from './edge/addresses.ts'
import type { Api } from './edge/api.ts'
import { auditChanges } from './edge/audit.ts'
import { acceptJson, normalizeBody } from './edge/body.ts'
import { limitDatabaseTime } from './edge/database-budget.ts'
import { sendError } from './edge/errors.ts'
import { healthRoutes } from './edge/health-routes.ts'
import { applyIdempotencyKeys } from './edge/idempotency.ts'
import { lazySchemas } from './edge/lazy-schemas.ts'
import { notFoundPage } from './edge/not-found-page.ts'
import { describeApi } from './edge/openapi/describe-api.ts'
import { wantsHtml } from './edge/page.ts'
import { principalHook } from './edge/principal.ts'
import { countRequests } from './edge/request-metrics.ts'
import { securityHeaders } from './edge/security-headers.ts'
import { routePattern } from './edge/serve.ts'
import { wakeListeners } from './edge/wake-listeners.ts'
import { approvalPages } from './features/approval-pages/pages.ts'
import { approvalLinkRoutes } from './features/approval-pages/routes.ts'
import { createApprovalSignIn } from './features/approval-pages/sign-in.ts'
import { receiptKeys } from './features/approvals/receipts/receipt-keys.ts'
import { approvalRoutes } from './features/approvals/routes.ts'
import { createUserApprovals } from './features/approvals/user-approvals.ts'
import { grantRoutes } from './features/authorization/grants/grant-routes.ts'
import { createUserClients } from './features/authorization/grants/user-clients.ts'
import { metadataRoutes } from './features/authorization/metadata-routes.ts'
import { signInPages } from './features/authorization/pages.ts'
import { signInApprovalRoutes } from './features/authorization/requests/approval-routes.ts'
import { signInSettingsRoutes } from './features/authorization/settings/settings-routes.ts'
import { tokenRoutes } from './features/authorization/token-routes.ts'
import { connectorLogos } from './features/connectors/logo-routes.ts'
import { mcpConnectorRoutes } from './features/connectors/mcp-connector-routes.ts'
import { oauthAppRoutes } from './features/connectors/oauth-app-routes.ts'
import { connectorRoutes } from './features/connectors/tool-packs/connector-routes.ts'
import { toolPackRoutes } from './features/connectors/tool-packs/tool-pack-routes.ts'
import { accountRoutes } from './features/credentials/accounts/account-routes.ts'
import { endConnectorCredentials, markOrphaned } from './features/credentials/end-credentials.ts'
import { credentialHealthRoutes } from './features/credentials/health/health-routes.ts'
import { credentialRoutes } from './features/credentials/routes.ts'
import { dashboardPages } from './features/dashboard/dashboard-pages.ts'
import { documentationPages } from './features/documentation/documentation-pages.ts'
import { auditRoutes } from './features/events/audit-routes.ts'
import { eventRoutes } from './features/events/event-routes.ts'
import { connectionsPages } from './features/link/connections/connections-pages.ts'
import { connectionsLinkRoutes } from './features/link/connections/routes.ts'
import { linkPages } from './features/link/pages/pages.ts'
import { organizationAccountRoutes } from './features/link/sessions/organization-account-routes.ts'
import { linkRoutes } from './features/link/sessions/routes.ts'
import { managementEndpoint } from './features/management/routes.ts'
import { invitationRoutes } from './features/members/invitation-routes.ts'
import { memberRoutes } from './features/members/member-routes.ts'
import { memberSignInRoutes } from './features/members/member-sign-in-routes.ts'
import { usageRoutes } from './features/metering/limits/usage-routes.ts'
import { recordRoutes } from './features/metering/records/record-routes.ts'
import { clientMetadataDocument } from './features/oauth/client-metadata.ts'
import type { ReadHealth } from './features/operator/read-health.ts'
import { installationRoutes, ownOrganizationRoutes } from './features/operator/routes.ts'
import { brandAssets, customizationRoutes } from './features/organizations/customization-routes.ts'
import { organizationRoutes } from './features/organizations/routes.ts'
import { DEFAULT_TEXTS } from './features/pages/views/words/default-texts.ts'
import { policyRoutes } from './features/policies/routes.ts'
import { registeredUserRoutes } from './features/registered-users/routes.ts'
import { packRuleRoutes } from './features/rules/pack-routes.ts'
import { securityRuleRoutes } from './features/rules/routes.ts'
import { ruleViolationRoutes } from './features/rules/violation-routes.ts'
import { type DemoTarget, startPage } from './features/start-page/routes.ts'
import { callRoutes } from './features/tools/call-endpoint/call-routes.ts'
import { requestRoutes } from './features/tools/call-endpoint/request-routes.ts'
import { explainRoutes } from './features/tools/explain/explain-routes.ts'
import { packToolsRoutes } from './features/tools/listing/pack-tools-routes.ts'
import { mcpRoutes, signedInMcpRoutes } from './features/tools/mcp-endpoint/routes.ts'
import { mcpKeyRoutes } from './features/tools/mcp-keys/mcp-key-routes.ts'
import { ruleTestRoutes } from './features/tools/rule-tests/rule-test-routes.ts'
import { toolChangeRoutes } from './features/tools/tool-changes/tool-change-routes.ts'
import { unusedScopeRoutes } from './features/tools/unused-scopes/unused-scope-routes.ts'
import { viewRoutes } from './features/tools/views/view-routes.ts'
import { webhookDeliveryRoutes } from './features/webhooks/delivery-routes.ts'
import { webhookEndpointRoutes } from './features/webhooks/endpoint-routes.ts'
import type { Features } from './features.ts'
import type { Config } from './platform/config.ts'
import type { Readiness } from './platform/health/readiness.ts'

/** The favicon, which every browser requests. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-width="4"><rect x="8" y="3" width="16" height="26" rx="8" stroke="#868e9c"/><path d="M8 18v-7" stroke="#e8590c"/></svg>'

const BODY_LIMIT = 256 * 1024
/** A request must arrive completely within this time. */
const REQUEST_TIMEOUT_MS = MINUTE
/** Timeout of a connection without traffic in either direction. Longer than any call; streams send heartbeats. */
const IDLE_TIMEOUT_MS = 6 * MINUTE
/** The API document uses the first prefix; the second is an alias. */
const API_PREFIXES = ['/api/v1', '/api']

type AppConfig = Pick<
  Config,
  'baseUrl' | 'tls' | 'trustProxy' | 'development' | 'databaseUrl' | 'databaseTimeoutMs'
>

/** Registers all routes. Every route of the API is available under /api/v1 and, as an alias, under /api. */
export const buildApp = (
  config: AppConfig,
  features: Features,
  readiness: Readiness,
  { demo, readHealth }: { demo: DemoTarget | null; readHealth: ReadHealth },
): FastifyInstance => {
  const { baseUrl, version } = features
  const app = createServer(config, features, readiness)

  let document: unknown
  for (const prefix of API_PREFIXES) {
    void app.register(
      async scope => {
        mountApi(scope, features)
        // Some routes are registered in their own scope and exist only after it.
        await scope.after()
        requireAllServed(scope)
      },
      { prefix },
    )
    void app.register(async scope => mcpRoutes(scope, features), { prefix })
    void app.register(async scope => managementEndpoint(scope, { ...features, prefix }), { prefix })
    app.get(`${prefix}/openapi.json`, async () => (document ??= describeApi({ baseUrl, version })))
  }
  void app.register(async scope =>
    memberSignInRoutes(scope, { ...features, development: config.development }),
  )
  void app.register(async scope => installationRoutes(scope, { ...features, readHealth }), {
    prefix: '/dashboard/installation',
  })
  void app.register(
    async scope => {
      auditChanges(scope, features.audit)
      invitationRoutes(scope, features)
    },
    { prefix: '/dashboard/invitations' },
  )
  void app.register(async scope => ownOrganizationRoutes(scope, { ...features, readHealth }), {
    prefix: '/dashboard/organizations',
  })
  dashboardPages(app, features)
  void app.register(async scope => {
    const deps = { ...features, development: config.development }
    linkPages(scope, deps)
    connectionsPages(scope, {
      ...deps,
      clients: createUserClients(features.db),
      approvals: createUserApprovals(features),
    })
  })
  void app.register(async scope => signedInMcpRoutes(scope, features))
  void app.register(async scope => tokenRoutes(scope, features))
  const otherSignIn = createApprovalSignIn(features)
  void app.register(async scope =>
    signInPages(scope, { ...features, otherSignIn, development: config.development }),
  )
  void app.register(async scope => approvalPages(scope, { ...features, development: config.development }))
  void app.register(async scope => metadataRoutes(scope, features))
  void app.register(async scope => receiptKeys(scope, features))
  brandAssets(app, features)
  connectorLogos(app, features)

  // The client metadata document, for authorization servers that use it instead of client registration.
  app.get('/oauth/clients/:context', async (request, reply) => {
    const { context } = request.params as { context: string }
    if (!isUuid(context)) throw new Refusal('not_found')
    return reply
      .header('cache-control', 'public, max-age=3600')
      .send(clientMetadataDocument({ baseUrl, context }))
  })
  documentationPages(app)
  // Link may have its own host and be served at its root.
  if (new URL(features.linkUrl).pathname !== '/')
    void app.register(async scope => startPage(scope, { ...features, demo }))
  app.get('/favicon.ico', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(ICON),
  )
  healthRoutes(app, readiness)
  return app
}

/** A process that runs jobs only has no other routes than those of its health. */
export const buildWorkerApp = (
  config: AppConfig,
  features: Features,
  readiness: Readiness,
): FastifyInstance => {
  const app = createServer(config, features, readiness)
  healthRoutes(app, readiness)
  return app
}

/** The server without routes: limits, errors, headers, log and metrics. */
const createServer = (config: AppConfig, features: Features, readiness: Readiness) => {
  const { log, baseUrl } = features
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    genReqId: () => `req_${randomBase62(16)}`,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    trustProxy: config.trustProxy ?? false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // §5.7: TLS 1.2 or higher, if this process terminates TLS.
    ...(config.tls && {
      https: {
        cert: readFileSync(config.tls.certificate),
        key: readFileSync(config.tls.key),
        minVersion: 'TLSv1.2' as const,
      },
    }),
    // By default, Fastify drops unknown fields and converts numbers to strings, which would hide typos.
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        useDefaults: false,
        allErrors: false,
        // Errors contain the schema, from which the known fields are listed.
        verbose: true,
      },
    },
    schemaController: lazySchemas,
    // No hooks have run for these errors, so the security headers are set here as well.
    frameworkErrors: (error, request, reply) => {
      securityHeaders(baseUrl)(request, reply, () => void sendError(baseUrl, log)(error, request, reply))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  const answerUnknown = collectAddresses(app)
  acceptJson(app)
  app.setErrorHandler(sendError(baseUrl, log))
  app.setNotFoundHandler((request, reply) => {
    const isPage = request.method === 'GET' && wantsHtml(request) && !request.url.startsWith('/api/')
    return isPage ? notFoundPage(request, reply) : answerUnknown(request, reply)
  })
  // The embedded database runs in this process, so it always answers.
  if (config.databaseUrl) limitDatabaseTime(app, 2 * config.databaseTimeoutMs)
  app.addHook('onRequest', securityHeaders(baseUrl))
  app.addHook('preClose', async () => {
    readiness.drain()
    features.streams.close()
    features.openStreams.close()
    features.eventStreams.close()
    await features.wakeUps.close()
  })
  // While stopping, each connection is closed after its response. Kept-alive connections would delay the stop.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (readiness.isDraining()) reply.header('connection', 'close')
    done(null, payload)
  })
  countRequests(app, features.metrics)
  app.addHook('onResponse', (request, reply, done) => {
    // The route pattern is logged instead of the path, which may contain a token.
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
  return app
}

/** Every declared operation has a route. */
const requireAllServed = (api: FastifyInstance): void => {
  const missing = Object.values<Operation>(operations).filter(
    operation => !api.hasRoute({ method: operation.method, url: `${api.prefix}${routePattern(operation)}` }),
  )
  if (missing.length > 0)
    throw new Error(`Operations without a route: ${missing.map(({ route }) => route).join(', ')}.`)
}

const mountApi = (api: Api, features: Features): void => {
  api.addHook('onRequest', principalHook(features))
  api.addHook('preValidation', normalizeBody)
  auditChanges(api, features.audit)
  applyIdempotencyKeys(api, features.idempotency)
  wakeListeners(api, features.wakeUps)
  organizationRoutes(api, features)
  memberRoutes(api, features)
  customizationRoutes(api, { ...features, defaultTexts: DEFAULT_TEXTS })
  connectorRoutes(api, features)
  toolPackRoutes(api, features)
  packToolsRoutes(api, features)
  oauthAppRoutes(api, { ...features, markOrphaned })
  mcpConnectorRoutes(api, { ...features, endConnectorCredentials })
  securityRuleRoutes(api, features)
  packRuleRoutes(api, features)
  policyRoutes(api, features)
  approvalRoutes(api, features)
  approvalLinkRoutes(api, features)
  ruleViolationRoutes(api, features)
  registeredUserRoutes(api, features)
  credentialRoutes(api, features)
  credentialHealthRoutes(api, features)
  accountRoutes(api, features)
  linkRoutes(api, features)
  organizationAccountRoutes(api, features)
  connectionsLinkRoutes(api, features)
  mcpKeyRoutes(api, features)
  signInSettingsRoutes(api, features)
  signInApprovalRoutes(api, features)
  grantRoutes(api, features)
  explainRoutes(api, features)
  callRoutes(api, features)
  requestRoutes(api, features)
  toolChangeRoutes(api, features)
  unusedScopeRoutes(api, features)
  viewRoutes(api, features)
  ruleTestRoutes(api, features)
  auditRoutes(api, features)
  recordRoutes(api, features)
  usageRoutes(api, features)
  eventRoutes(api, features)
  webhookEndpointRoutes(api, features)
  webhookDeliveryRoutes(api, features)
}
