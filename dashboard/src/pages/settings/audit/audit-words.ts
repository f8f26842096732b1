import type { AuditEntry } from '@carabiner/sdk'

/** The actions of the API, for the filter. Others are shown with the same rule. */
export const ACTIONS = [
  'api_key.created',
  'api_key.ended',
  'api_key.regenerated',
  'api_key.revoked',
  'api_key.rolled',
  'approval.confirmed',
  'approval.decided',
  'approval.link_created',
  'approval.withdrawn',
  'approval_grant.revoked',
  'callback_origin.added',
  'callback_origin.removed',
  'connector.created',
  'connector.removed',
  'connector.tools_accepted',
  'connector.tools_checked',
  'connector.updated',
  'credential.ended',
  'credential.paused',
  'credential.renamed',
  'credential.resumed',
  'credential.shared',
  'grant.revoked',
  'link_customization.updated',
  'link_logo.removed',
  'link_logo.replaced',
  'mcp_key.created',
  'mcp_key.revoked',
  'member.declined',
  'member.invited',
  'member.joined',
  'member.removed',
  'member.sign_in_link_created',
  'member.updated',
  'oauth_app.removed',
  'oauth_app.saved',
  'organization.activated',
  'organization.created',
  'organization.exported',
  'organization.plan_set',
  'organization.suspended',
  'organization.updated',
  'organization_account.link_created',
  'policy.updated',
  'policy_rule.created',
  'policy_rule.deleted',
  'policy_rule.hook_secret_rotated',
  'policy_rule.updated',
  'registered_user.created',
  'registered_user.deleted',
  'registered_user.updated',
  'security_rules.updated',
  'sign_in.deleted',
  'sign_in.updated',
  'tool_pack.created',
  'tool_pack.deleted',
  'tool_pack.security_rules_deleted',
  'tool_pack.security_rules_updated',
  'tool_pack.updated',
  'webhook_delivery.replayed',
  'webhook_endpoint.created',
  'webhook_endpoint.deleted',
  'webhook_endpoint.replayed',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.updated',
] as const

const NOUNS: Record<string, string> = {
  api_key: 'API key',
  mcp_key: 'MCP key',
  oauth_app: 'OAuth app',
  tool_pack: 'Tool Pack',
  registered_user: 'Registered User',
  callback_origin: 'Callback origin',
  link_customization: 'Link customization',
  link_logo: 'Link logo',
  security_rules: 'Security rules',
  sign_in: 'User sign-in',
  webhook_endpoint: 'Webhook endpoint',
  webhook_delivery: 'Webhook delivery',
}

/** `tool_pack.updated` as "Tool Pack updated". */
export const actionLabel = (action: string): string => {
  const [noun = '', ...verb] = action.split('.')
  const words = (text: string): string => text.replaceAll('_', ' ')
  const subject = NOUNS[noun] ?? words(noun).replace(/^./, letter => letter.toUpperCase())
  return `${subject} ${words(verb.join(' '))}`
}

const ACTORS: Record<AuditEntry['actor']['type'], string> = {
  api_key: 'API key',
  person: 'Person',
  operator: 'Operator',
  user: 'User',
  system: 'The service',
}

export const actorLabel = ({ type, hint, name }: AuditEntry['actor']): string => {
  if (type === 'person' && (name ?? hint)) return (name ?? hint) as string
  if (name) return `${ACTORS[type]} “${name}”`
  return hint ? `${ACTORS[type]} ${hint}` : ACTORS[type]
}
