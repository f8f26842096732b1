/**
 * What an archive contains. A test compares this list with the catalog of the database: a table with rows of organizations is
 * archived or has a reason in `NOT_ARCHIVED`.
 */
export type ArchivedTable = {
  name: string
  /** Columns that belong to the installation, and are set by the import. */
  without: string[]
}

const table = (name: string, { without = [] }: { without?: string[] } = {}): ArchivedTable => ({
  name,
  without,
})

/** In the order of an import: a table comes after those that its foreign keys refer to. */
export const ARCHIVED_TABLES: readonly ArchivedTable[] = [
  table('organizations', { without: ['state', 'pending_deletion'] }),
  // The archive has the keys themselves, in an additional column.
  table('organization_keys', { without: ['wrapped'] }),
  table('api_keys'),
  table('callback_origins'),
  table('idempotency_keys'),
  table('tool_packs'),
  table('mcp_connectors'),
  table('mcp_tools'),
  table('oauth_apps'),
  table('security_rules'),
  table('policies'),
  table('policy_rules'),
  table('link_customizations'),
  table('link_logos'),
  table('registered_users'),
  table('previous_user_keys'),
  table('mcp_keys'),
  table('sign_in_settings'),
  table('sign_in_requests'),
  table('client_grants'),
  table('used_assertions'),
  table('access_tokens'),
  table('refresh_tokens'),
  table('credentials'),
  table('credential_shares'),
  table('pending_secrets'),
  table('revocations'),
  table('link_sessions'),
  table('link_attempts'),
  table('link_steps'),
  table('connections_links'),
  table('rate_buckets'),
  table('plan_allowances'),
  table('pack_days'),
  // Another process will not settle these calls. The import records them as `unknown` when the organization becomes active.
  table('calls_in_flight'),
  table('tool_calls'),
  table('tool_call_answers'),
  table('stored_results'),
  table('revealed_tools'),
  table('usage_days'),
  table('usage_totals'),
  table('rule_violations'),
  table('events'),
  table('event_positions'),
  table('webhook_endpoints', { without: ['leased_by', 'leased_until'] }),
  table('webhook_deliveries'),
  table('audit_intents'),
  table('audit_entries'),
  // The seal of the end is made with the signing key of the installation.
  table('audit_heads', { without: ['seal'] }),
]

export const NOT_ARCHIVED: Readonly<Record<string, string>> = {
  approvals: 'a decision is about a call of this installation; callers ask again',
  approval_decisions: 'as approvals',
  approval_grants: 'as approvals: the other installation asks again',
  approval_visits: 'browsers of this installation',
  tool_tasks: 'as approvals',
  key_rotations: 'the progress of a rotation of this installation’s keys; an import waits for its end',
  members: 'people belong to an installation; the operator of the other one invites them',
  organization_imports: 'the progress of an import into this installation',
}
