/**
 * The responsibilities of each folder, its allowed imports, and the tables that it may write. `floors.test.ts` checks the code
 * against this data, and the table in docs/project/architecture.md is generated from it.
 */

export type Feature = {
  owns: string
  /** Other features. Every feature may also import edge, platform, core and the contract. */
  mayImport: string[]
  /** Tables that only this feature's stores write. */
  tables: string[]
  /** Subfolders from top to bottom: each may import those after it. `.` is the feature's own folder. */
  folders?: string[]
}

/** From top to bottom: imports between features only point down. */
export const FEATURES: Record<string, Feature> = {
  documentation: {
    owns: 'the files of the documentation, served under `/docs`; their sources are in `docs/`',
    mayImport: [],
    tables: [],
  },
  dashboard: {
    owns: 'the files of the dashboard, served under `/dashboard`; their sources are in `dashboard/`',
    mayImport: [],
    tables: [],
  },
  'start-page': {
    owns: 'the address `/`, and the links for the demo user and the demo administrator in development',
    mayImport: ['members', 'link'],
    tables: [],
  },
  operator: {
    owns: 'the dashboard of the installation: its organizations, people and health; export and deletion of an organization in the dashboard',
    mayImport: ['diagnostics', 'members', 'portability', 'credentials', 'organizations', 'events'],
    tables: [],
  },
  management: {
    owns: 'the MCP endpoint for coding agents and operators, `/api/v1/mcp`: its tools are requests of the API',
    mayImport: ['tools'],
    tables: [],
  },
  diagnostics: {
    owns: 'the checks of an installation (`carabiner doctor`) and the support bundle. It changes nothing',
    mayImport: ['backups', 'connectors'],
    tables: [],
    folders: ['.', 'checks'],
  },
  backups: {
    owns: 'backups of the whole database, and their restore. It uses all tables through SQL functions',
    mayImport: ['portability', 'registered-users'],
    tables: ['restores'],
  },
  portability: {
    owns: 'whole organizations: archives, deletion, moves to another installation, and the write fence. It uses all tables through SQL functions that name the organization',
    mayImport: ['registered-users', 'credentials', 'events'],
    tables: ['organization_imports'],
    folders: ['moving', '.'],
  },
  webhooks: {
    owns: 'webhook endpoints, and the deliveries of events to them',
    mayImport: ['events'],
    tables: ['webhook_endpoints', 'webhook_deliveries', 'event_positions'],
  },
  'approval-pages': {
    owns: 'the pages on which users decide about their calls, their sign-in for a decision, and the links and codes of applications',
    mayImport: [
      'authorization',
      'approvals',
      'link',
      'pages',
      'registered-users',
      'connectors',
      'organizations',
    ],
    tables: ['approval_visits'],
  },
  authorization: {
    owns: 'the authorization server of the MCP endpoint: metadata, clients, sign-in at the identity provider or in the application, consent, grants, tokens',
    mayImport: ['policies', 'pages', 'registered-users', 'oauth', 'organizations', 'events'],
    tables: [
      'sign_in_settings',
      'sign_in_requests',
      'client_grants',
      'used_assertions',
      'access_tokens',
      'refresh_tokens',
    ],
    folders: ['.', 'requests', 'grants', 'clients', 'settings'],
  },
  tools: {
    owns: 'the MCP endpoint, MCP keys, the path of a tool call from admission to settlement, and the explanation of its decisions',
    mayImport: [
      'approvals',
      'policies',
      'link',
      'credentials',
      'connectors',
      'oauth',
      'upstream',
      'rules',
      'metering',
      'events',
    ],
    tables: [
      'calls_in_flight',
      'tool_calls',
      'tool_tasks',
      'tool_call_answers',
      'stored_results',
      'revealed_tools',
      'mcp_keys',
    ],
    folders: [
      'views',
      'tool-changes',
      'unused-scopes',
      'rule-tests',
      'mcp-endpoint',
      'call-endpoint',
      'requested-calls',
      'task-runner',
      'explain',
      'search',
      'calls',
      'tasks',
      'steps',
      'steps/call',
      'steps/admission',
      'observation',
      'listing',
      'mcp-protocol',
      'results',
      'admission',
      'mcp-keys',
      'demo',
    ],
  },
  approvals: {
    owns: 'calls that wait for a person: the frozen call, its decision, and that it runs once',
    mayImport: ['members', 'pages', 'events'],
    tables: ['approvals', 'approval_decisions', 'approval_grants'],
    folders: ['.', 'receipts'],
  },
  members: {
    owns: 'the people who use the dashboard: sign-in by better-auth, sessions, roles, invitations, passkeys',
    mayImport: [],
    tables: [
      'people',
      'people_sessions',
      'people_accounts',
      'people_passkeys',
      'people_second_factors',
      'people_verifications',
      'people_rate_limits',
      'people_sign_in_links',
      'operators',
      'members',
    ],
    folders: ['.', 'passkeys'],
  },
  policies: {
    owns: 'the policies of organizations and Tool Packs: their rules, and what they decide about a call',
    mayImport: ['connectors', 'upstream'],
    tables: ['policies', 'policy_rules'],
    folders: ['.', 'hooks', 'conditions'],
  },
  link: {
    owns: 'link tokens, magic links, sessions and their timelines, authorization codes, the flows of Link and of My connections',
    mayImport: [
      'pages',
      'credentials',
      'connectors',
      'oauth',
      'upstream',
      'registered-users',
      'metering',
      'organizations',
      'events',
    ],
    tables: ['link_sessions', 'link_attempts', 'link_steps', 'connections_links'],
    folders: ['connections', 'pages', 'attempts', 'sessions'],
  },
  pages: {
    owns: 'the HTML of every page that people of an organization see (Link, My connections, sign-in), its languages and look, and how a page is sent: policy, frame, browser cookie, limits',
    mayImport: ['connectors', 'organizations'],
    tables: [],
    folders: ['.', 'browser', 'views/preview', 'views/approval', 'views/connections', 'views', 'views/words'],
  },
  'registered-users': {
    owns: 'Registered Users and their lifecycle',
    mayImport: ['credentials', 'events'],
    tables: ['registered_users'],
  },
  credentials: {
    owns: 'encrypted credentials, their labels and access lists, refresh under a lease, revocation, key rotation',
    mayImport: ['connectors', 'oauth', 'upstream', 'events'],
    tables: ['credentials', 'credential_shares', 'revocations', 'pending_secrets', 'key_rotations'],
    folders: ['rotation', 'accounts', 'health', '.', 'risks'],
  },
  connectors: {
    owns: 'the catalog of connector files, MCP servers as connectors, availability, OAuth apps, Tool Packs',
    mayImport: ['oauth', 'upstream', 'events'],
    tables: ['mcp_connectors', 'mcp_tools', 'tool_packs', 'catalog_slugs'],
    folders: ['tool-packs', '.', 'mcp-servers', 'catalog', 'catalog/rules'],
  },
  metering: {
    owns: 'plan limits, rate limits, usage, tool call records',
    mayImport: ['events'],
    tables: ['plan_allowances', 'rate_buckets', 'pack_days'],
    folders: ['limits', 'records'],
  },
  organizations: {
    owns: 'organizations, API keys, callback origins, Link customization, plan',
    mayImport: ['events'],
    tables: ['organizations', 'api_keys', 'callback_origins', 'link_customizations', 'link_logos'],
  },
  oauth: {
    owns: 'the OAuth protocol with providers, on oauth4webapi: discovery, registration, PKCE, token exchange',
    mayImport: ['upstream'],
    tables: ['oauth_apps'],
  },
  upstream: {
    owns: 'provider calls: HTTP tools, the MCP client, JSON Schema checks, bulkheads and circuit breakers',
    mayImport: [],
    tables: [],
    folders: [
      'mcp-client',
      'http',
      'authorization-kinds',
      'authorization-kinds/oauth2',
      'authorization-kinds/api-key',
      'authorization-kinds/token-request',
      'authorization-kinds/aws-signature',
      'authorization-kinds/signature',
      'authorization-kinds/oauth1',
      'templates',
      'json-schema',
      'traffic',
      '.',
    ],
  },
  rules: {
    owns: 'the Security Gateway: settings, decisions, violations; detection is in `packages/detection`',
    mayImport: [],
    tables: ['security_rules', 'rule_violations'],
  },
  events: {
    owns: 'events, their list and streams, and the audit trail',
    mayImport: [],
    tables: ['events', 'audit_entries', 'audit_heads', 'audit_intents'],
  },
}

/** Tables of the platform, which no feature writes. */
export const PLATFORM_TABLES = [
  'previous_user_keys',
  'idempotency_keys',
  'organization_keys',
  'job_runs',
  'schema_migrations',
  'service_secrets',
  'test_clock',
]

/** Writes to the table of another feature, where one statement must change both. */
export const SHARED_WRITES: Record<string, string> = {
  'features/connectors/mcp-servers/mcp-connector-store.ts oauth_apps':
    'removing a connector supersedes its OAuth client in the same statement',
  'features/credentials/pending-secret-store.ts events':
    'a code is redeemed, and its events are recorded, in one statement for a whole batch',
  'features/credentials/pending-secret-store.ts registered_users':
    'the sequence of the events that redemption records',
  'features/credentials/rotation/rotate-store.ts registered_users': 'rotation replaces the wrapped data key',
}
