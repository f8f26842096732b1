import { type Static, type TSchema, Type } from 'typebox'
import { approvalDecisions, approvalEnds, executionEnds, VoidReason } from './approval-resources.ts'
import { RiskReasonSchema } from './credential-resources.ts'
import { orNull, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const
const data = <T extends Record<string, TSchema>>(properties: T) => Type.Object(properties, strict)

const text = (description: string) => Type.String({ description })
const idOf = (description: string) => Type.String({ format: 'uuid', description })
const LinkSessionId = idOf('ID of the link session: `GET /link-sessions/{id}` returns its timeline.')
const CredentialId = idOf('ID of the credential. It stays the same when the user links the account again.')
const ToolCallId = idOf('ID of the record of the call: `GET /tool-calls/{id}`.')
const Slug = text('Slug of the connector.')
const Scopes = Type.Array(Type.String(), { description: 'The scopes that were granted.' })

const User = data({ origin_user_id: text('The application’s own ID of the user.') })
const Session = data({ link_session_id: LinkSessionId })
const Label = text('Label of the account among the user’s accounts of the connector.')
const Credential = data({ credential_id: CredentialId, connector_slug: Slug, label: Label })
const StoredCredential = {
  credential_id: CredentialId,
  connector_slug: Slug,
  label: Label,
  scopes: Scopes,
  account: orNull(text('The linked account, as the provider names it.')),
}
const endedCredential = (reasons: string) =>
  data({
    credential_id: CredentialId,
    connector_slug: Slug,
    label: Label,
    reason: text(`Why the credential can no longer be used, such as ${reasons}.`),
  })
const ToolCall = {
  tool_call_id: ToolCallId,
  tool_pack_id: idOf('ID of the Tool Pack through which the tool was called.'),
  connector_slug: text('Slug of the connector; empty for a tool of Carabiner itself.'),
  tool: text('Name of the tool, without the connector.'),
  credential_id: orNull(idOf('ID of the credential that the call used.')),
  account_label: orNull(text('Label of that account at the time of the call.')),
  error_code: orNull(text('Code of the error: see `/docs/errors` of the service.')),
  request_id: text('Identifies the request in the log of the service.'),
  trace_id: orNull(text('Trace ID of the call.')),
  third_party_ms: orNull(
    Type.Integer({ description: 'Milliseconds until the provider’s response. Null if it was not called.' }),
  ),
}

const Approval = {
  approval_id: idOf('ID of the approval: `GET /approvals/{id}`.'),
  tool_pack_id: idOf('ID of the Tool Pack through which the tool was called.'),
  connector_slug: Slug,
  tool: text('Name of the tool, without the connector.'),
}

const Grant = {
  grant_id: idOf('ID of the grant.'),
  tool_pack_id: idOf('ID of the Tool Pack that the client may use.'),
  client_id: text('ID of the client: the URL of its metadata, or the ID that its registration returned.'),
  client_name: text('Name that the client gives itself.'),
}
/** Why a grant has ended. */
export const grantEndings = [
  'revoked',
  'by_user',
  'by_client',
  'code_replayed',
  'refresh_token_reused',
] as const
export type GrantEnding = (typeof grantEndings)[number]

/** Why a person could not sign in with an MCP client. */
export const signInRejections = [
  'claim_missing',
  'email_not_verified',
  'user_not_found',
  'user_inactive',
  'provider_denied',
  'provider_failed',
] as const
export type SignInRejection = (typeof signInRejections)[number]

/** What the documentation says about an event. */
type EventTexts = {
  /** What has happened. */
  summary: string
  /** When the event is sent. */
  sent: string
  /** What the developer of a receiver typically does. */
  use: string
}
type EventDefinition<Data extends TSchema> = EventTexts & {
  data: Data
  example: Static<Data>
  /** Whether the event concerns a Registered User. */
  hasUser: boolean
}
const ofUser = <Data extends TSchema>(texts: EventTexts, schema: Data, example: Static<Data>) =>
  ({ ...texts, data: schema, example, hasUser: true }) satisfies EventDefinition<Data>
const ofOrganization = <Data extends TSchema>(texts: EventTexts, schema: Data, example: Static<Data>) =>
  ({ ...texts, data: schema, example, hasUser: false }) satisfies EventDefinition<Data>

const id = (last: number) => `0198c0de-0000-7000-8000-${String(last).padStart(12, '0')}`
const user = { origin_user_id: 'user_42' }
const session = { link_session_id: id(3) }
const credential = { credential_id: id(4), connector_slug: 'github', label: 'ana' }
const call = {
  tool_call_id: id(5),
  tool_pack_id: id(6),
  connector_slug: 'github',
  tool: 'list_issues',
  credential_id: id(4),
  account_label: 'ana',
  request_id: 'req_4f9a0c2d7b1e8365',
  trace_id: null,
}
const approval = { approval_id: id(13), tool_pack_id: id(6), connector_slug: 'github', tool: 'create_issue' }
const grant = {
  grant_id: id(11),
  tool_pack_id: id(6),
  client_id: 'https://client.example/metadata.json',
  client_name: 'Example Client',
}
const OF_CALLS =
  'A call that asks for a connection, or that returns the stored result of an earlier call with the same Idempotency-Key, is not reported.'

/** All events, with the form of their data. */
export const eventCatalog = {
  'registered_user.created': ofUser(
    {
      summary: 'A Registered User was created.',
      sent: 'Sent when `POST /registered-users` creates a user, but not when the user already exists.',
      use: 'Store the ID of the Registered User with your own record of the user.',
    },
    User,
    user,
  ),
  'registered_user.updated': ofUser(
    {
      summary: 'Name, email address, metadata or rate limit were changed.',
      sent: 'Sent for each update of these fields, even if their values stay the same.',
      use: 'Read the user again, if you keep a copy of these fields.',
    },
    User,
    user,
  ),
  'registered_user.deactivated': ofUser(
    {
      summary: 'The user was deactivated. Their credentials are revoked, and calls are rejected.',
      sent: 'Sent when `is_active` is set to false, after a `credential.revoked` for each credential of the user.',
      use: 'End the sessions of agents that act for the user.',
    },
    User,
    user,
  ),
  'registered_user.reactivated': ofUser(
    {
      summary: 'The user was activated again.',
      sent: 'Sent when `is_active` is set to true. The credentials are not restored.',
      use: 'Ask the user to connect their accounts again.',
    },
    User,
    user,
  ),
  'registered_user.deleted': ofUser(
    {
      summary: 'The user was deleted, with everything that was stored about them, including earlier events.',
      sent: 'Sent when the user is deleted. It is the last event of the user.',
      use: 'Delete what you have stored about the user.',
    },
    data({}),
    {},
  ),
  'link.opened': ofUser(
    {
      summary: 'A person opened the link. Previews of mail programs do not count.',
      sent: 'Sent once for each link, when a person first acts on its page.',
      use: 'Show that the user has started, or count how many links are used.',
    },
    Session,
    session,
  ),
  'link.completed': ofUser(
    {
      summary: 'The user connected an account.',
      sent: 'Sent when the provider grants access, or accepts the key that the user entered.',
      use: 'Continue the task that needs the connection. If `awaits_confirmation` is true, wait for `credential.created` or `credential.replaced`.',
    },
    data({
      link_session_id: LinkSessionId,
      connector_slug: Slug,
      scopes: Scopes,
      awaits_confirmation: Type.Boolean({
        description: 'Whether the credential is stored only when the backend redeems the authorization code.',
      }),
    }),
    { ...session, connector_slug: 'github', scopes: ['repo'], awaits_confirmation: false },
  ),
  'link.exited': ofUser(
    {
      summary: 'The user closed Link without connecting anything.',
      sent: 'Sent when the user closes Link, or denies access at the provider. The link can be opened again until it expires.',
      use: 'Offer the connection again later.',
    },
    Session,
    session,
  ),
  'link.failed': ofUser(
    {
      summary: 'Connecting an account failed.',
      sent: 'Sent when an attempt to connect ends with an error. The link can be opened again until it expires.',
      use: 'Alert support with the ID of the session, whose timeline contains the details.',
    },
    data({
      link_session_id: LinkSessionId,
      reason: Type.Optional(
        text('Why it failed, such as `provider_error`, `exchange_failed` or `key_rejected`.'),
      ),
    }),
    { ...session, reason: 'provider_error' },
  ),
  'link.renewal_requested': ofUser(
    {
      summary: 'The link had expired, and the user requested a new one.',
      sent: 'Sent when the user requests a new link on the page of an expired one, at most once an hour for each link.',
      use: 'Create a new link with `POST /registered-users/{id}/link-token`, and send it to the user.',
    },
    data({
      link_session_id: LinkSessionId,
      connector_slug: orNull(text('Slug of the connector. Null if the link offered several.')),
    }),
    { ...session, connector_slug: 'github' },
  ),
  'credential.created': ofUser(
    {
      summary: 'A credential was stored.',
      sent: 'Sent when the user has linked an account for the first time: at the end of Link, or when the backend redeems the authorization code.',
      use: 'Show the connector as connected.',
    },
    data(StoredCredential),
    { ...credential, scopes: ['repo'], account: 'ana' },
  ),
  'credential.replaced': ofUser(
    {
      summary:
        'The user linked the account again or replaced it with another one. The credential keeps its ID.',
      sent: 'Sent instead of `credential.created` if the user has linked this account before, or has chosen to replace an account.',
      use: 'Show the connector as connected. If `account_changed` is true, inform the user that tools now use another account; it is not shared, even if the previous one was.',
    },
    data({
      ...StoredCredential,
      previous_account: orNull(text('The account that was linked before.')),
      account_changed: Type.Boolean({ description: 'Whether the user linked another account.' }),
      sharing_ended: Type.Boolean({
        description: 'Whether the previous account was shared. Another account is not shared.',
      }),
    }),
    {
      ...credential,
      scopes: ['repo'],
      account: 'ana',
      previous_account: 'ana',
      account_changed: false,
      sharing_ended: false,
    },
  ),
  'credential.refreshed': ofUser(
    {
      summary: 'The access token or the entered key was replaced. The account is the same.',
      sent: 'Sent after each successful refresh of an OAuth token or token request, and when the user has replaced the key or other values that they had entered.',
      use: 'No action is needed. The event is useful for monitoring.',
    },
    Credential,
    credential,
  ),
  'credential.needs_reauth': ofUser(
    {
      summary: 'The credential no longer works. The next call returns a link.',
      sent: 'Sent when the provider has rejected the credential or its refresh, or when the OAuth app that it belongs to was removed.',
      use: 'Ask the user to connect again, with a link of `POST /registered-users/{id}/link-token`.',
    },
    endedCredential('`expired`, `revoked` or `oauth_app_removed`'),
    { ...credential, reason: 'revoked' },
  ),
  'credential.at_risk': ofUser(
    {
      summary: 'The credential works, and is expected to end soon.',
      sent: 'Sent once for each risk of a credential, within an hour: by default three days before a known end (`CREDENTIAL_WARNING_DAYS`), when the provider has refused the credential for an hour, when refreshes have failed for two days, or when the provider no longer grants some scopes. If the user links the account again, a later risk is reported again.',
      use: 'Ask the user to connect the account again before it ends, with a link of `POST /registered-users/{id}/link-token`. For `refused` and `refresh_failing`, wait for `credential.needs_reauth`: the provider may recover.',
    },
    data({
      credential_id: CredentialId,
      connector_slug: Slug,
      label: Label,
      reason: RiskReasonSchema,
      ends_at: orNull(
        Type.String({ ...Timestamp, description: 'When it is expected to end. Null: not known.' }),
      ),
    }),
    { ...credential, reason: 'maximum_lifetime', ends_at: '2026-11-04T12:00:00.000Z' },
  ),
  'credential.revoked': ofUser(
    {
      summary: 'The credential was revoked and deleted.',
      sent: 'Sent when the credential is deleted, the user disconnects the account on the My connections page, the user is deactivated, or its connector is removed. The token is revoked at the provider afterwards.',
      use: 'Show the connector as not connected.',
    },
    endedCredential('`deleted`, `disconnected_by_user`, `user_deactivated` or `connector_removed`'),
    { ...credential, reason: 'user_deactivated' },
  ),
  'credential.paused': ofUser(
    {
      summary: 'The connection was paused. Calls are rejected with `connection_paused` until it resumes.',
      sent: 'Sent when the user pauses the connection on the My connections page, or a backend does it with `POST …/credentials/{credential_id}/pause`.',
      use: 'Show the connector as paused, and do not ask the user to connect again.',
    },
    data({
      credential_id: CredentialId,
      connector_slug: Slug,
      label: Label,
      paused_until: Type.String({ ...Timestamp, description: 'When the connection resumes automatically.' }),
    }),
    { ...credential, paused_until: '2026-11-01T13:00:00.000Z' },
  ),
  'credential.resumed': ofUser(
    {
      summary: 'The pause of the connection ended.',
      sent: 'Sent when the pause is ended early, or within about a minute after it is over. A connection that is replaced or revoked during a pause sends only that event.',
      use: 'Show the connector as connected, and continue tasks that were waiting for it.',
    },
    data({
      credential_id: CredentialId,
      connector_slug: Slug,
      label: Label,
      reason: Type.Enum(['requested', 'elapsed'], {
        description: '`requested`: by the user or a backend. `elapsed`: the pause ended.',
      }),
    }),
    { ...credential, reason: 'requested' },
  ),
  'tool_call.completed': ofUser(
    {
      summary: 'A tool call succeeded.',
      sent: `Sent when the call has ended. ${OF_CALLS}`,
      use: 'Add the call to your own usage statistics. The format `batch` suits many calls.',
    },
    data({ ...ToolCall, outcome: Type.Enum(['success'], { description: 'How the call ended.' }) }),
    { ...call, outcome: 'success', error_code: null, third_party_ms: 184 },
  ),
  'tool_call.failed': ofUser(
    {
      summary: 'A tool call failed, was limited, or was interrupted so that its outcome is unknown.',
      sent: `Sent when the call has ended, or when it is found to have been interrupted. ${OF_CALLS}`,
      use: 'Alert your team if a tool or a connector fails often.',
    },
    data({
      ...ToolCall,
      outcome: Type.Enum(['error', 'limited', 'unknown'], {
        description:
          '`limited`: by the plan or the rate limit of the user. `unknown`: the process ended during the call, so the provider may have executed it.',
      }),
    }),
    { ...call, outcome: 'error', error_code: 'third_party_rejected', third_party_ms: 91 },
  ),
  'tool_call.blocked': ofUser(
    {
      summary: 'A security rule blocked a tool call.',
      sent: 'Sent when the call has ended. Each match of a rule is also reported as `rule.violated`.',
      use: 'Inform the people who maintain the rules.',
    },
    data({ ...ToolCall, outcome: Type.Enum(['blocked'], { description: 'How the call ended.' }) }),
    { ...call, outcome: 'blocked', error_code: 'security_rule_blocked', third_party_ms: null },
  ),
  'rule.violated': ofUser(
    {
      summary:
        'A security rule matched the arguments or the result of a call. The matched values are not stored.',
      sent: 'Sent once for each pattern that matched in a call, in each direction, including in a dry run.',
      use: 'Copy it to the system that collects your security events.',
    },
    data({
      rule_violation_id: idOf('ID of the violation, as in `GET /rule-violations`.'),
      tool_call_id: ToolCallId,
      direction: Type.Enum(['inbound', 'outbound'], {
        description: '`inbound`: the arguments of the call. `outbound`: its result.',
      }),
      entity: text('The kind of data that was found, such as `CREDIT_CARD`.'),
      rule: text(
        'Name of the pattern that matched, such as `card-grouped`; `custom` for a rule of the organization.',
      ),
      action: Type.Enum(['block', 'redact', 'log'], { description: 'The action of the rule.' }),
      count: Type.Integer({ description: 'Number of matches.' }),
      dry_run: Type.Boolean({ description: 'True if the action was not taken, because of a dry run.' }),
    }),
    {
      rule_violation_id: id(7),
      tool_call_id: id(5),
      direction: 'outbound',
      entity: 'CREDIT_CARD',
      rule: 'card-grouped',
      action: 'redact',
      count: 1,
      dry_run: false,
    },
  ),
  'approval.requested': ofUser(
    {
      summary: 'A call is waiting for a person to decide.',
      sent: 'Sent when a policy asks about a call for the first time. The same call does not ask again while it waits.',
      use: 'Notify the people who decide. They find the call in the dashboard, under Approvals.',
    },
    data({
      ...Approval,
      expires_at: Type.String({ ...Timestamp, description: 'When the request expires without a decision.' }),
    }),
    { ...approval, expires_at: '2026-11-01T13:00:00.000Z' },
  ),
  'approval.decided': ofUser(
    {
      summary: 'A person approved or denied a call.',
      sent: 'Sent for each decision. An approved call can be denied until it runs.',
      use: 'Let the agent repeat the call, or tell it that the call was denied.',
    },
    data({
      ...Approval,
      decision: Type.Enum([...approvalDecisions], { description: 'The person’s decision.' }),
    }),
    { ...approval, decision: 'approve' },
  ),
  'approval.executed': ofUser(
    {
      summary: 'An approved call was carried out or failed.',
      sent: 'Sent once for each approval whose call was started.',
      use: 'Show the user that it is done. If `status` is `unknown`, check at the provider.',
    },
    data({
      ...Approval,
      tool_call_id: ToolCallId,
      status: Type.Enum([...executionEnds], {
        description: '`unknown`: the process ended during the call, so the provider may have executed it.',
      }),
    }),
    { ...approval, tool_call_id: id(5), status: 'done' },
  ),
  'approval.ended': ofUser(
    {
      summary: 'An approval ended without a call.',
      sent: 'Sent when the time for a decision or for the approved call is over, when the call was withdrawn, or when something changed that the decision depends on.',
      use: 'Remove the request from your own list.',
    },
    data({
      ...Approval,
      reason: Type.Enum([...approvalEnds], {
        description: '`void`: something changed that the decision depends on.',
      }),
      void_reason: VoidReason,
    }),
    { ...approval, reason: 'void', void_reason: 'account_relinked' },
  ),
  'connector.tools_changed': ofOrganization(
    {
      summary: 'The tools of an MCP server changed.',
      sent: 'Sent once for each new list of tools, to the endpoints of both modes.',
      use: 'Review the change with `GET /connectors/{slug}/tools`, and accept it.',
    },
    data({
      connector_slug: Slug,
      tools_hash: text('Identifies the new list of tools when it is accepted.'),
      accepted: Type.Boolean({ description: 'Whether the new tools are served already, without a review.' }),
    }),
    { connector_slug: 'wiki', tools_hash: '9f2c', accepted: false },
  ),
  'grant.created': ofUser(
    {
      summary: 'The user signed in with an MCP client and allowed it to use a Tool Pack.',
      sent: 'Sent when the client gets its first tokens: after the user has agreed on the consent page, or for an assertion of the identity provider.',
      use: 'Tell the user about the new client, or record it.',
    },
    data(Grant),
    grant,
  ),
  'grant.revoked': ofUser(
    {
      summary: 'An MCP client may no longer act for the user.',
      sent: 'Sent when a grant is revoked through the API, by the user or by the client, and when a code or a refresh token was used twice.',
      use: 'If the reason is `code_replayed` or `refresh_token_reused`, a token may have been stolen: inform the user.',
    },
    data({
      ...Grant,
      reason: Type.Enum(grantEndings, {
        description:
          '`revoked`: by API. `by_user`: on the My connections page. `by_client`: the client has signed out. `code_replayed` and `refresh_token_reused`: a secret that works once was used twice.',
      }),
    }),
    { ...grant, reason: 'revoked' },
  ),
  'client_authorization.rejected': ofOrganization(
    {
      summary: 'A person could not sign in with an MCP client.',
      sent: 'Sent when the sign-in of a person is rejected, and when the identity provider cannot be used. It contains nothing about the person. A person who does not allow the client on the consent page is not reported.',
      use: 'Alert the people who manage the sign-in settings: the cause says what to change.',
    },
    data({
      cause: Type.Enum(signInRejections, {
        description:
          '`claim_missing`: neither the ID token nor UserInfo has a usable value of `user_claim`. `email_not_verified`: the provider does not state that the address is verified. `user_not_found`: no Registered User has this `origin_user_id`, and users are not created at sign-in. `user_inactive`: the Registered User is deactivated. `provider_denied`: the provider or the person has refused the sign-in. `provider_failed`: the provider cannot be reached, or its response is invalid.',
      }),
      client_id: Grant.client_id,
      client_name: Grant.client_name,
      tool_pack_id: idOf('ID of the Tool Pack that the client wanted to use.'),
      issuer: orNull(text('Issuer of the identity provider. Null if users sign in in the application.')),
      user_claim: orNull(text('Name of the claim that identifies the user. Null as for the issuer.')),
      provider_error: orNull(
        text('OAuth error code that the provider returned, such as `invalid_client`, if it returned one.'),
      ),
    }),
    {
      cause: 'claim_missing',
      client_id: 'https://client.example/metadata.json',
      client_name: 'Example Client',
      tool_pack_id: id(6),
      issuer: 'https://login.example.com',
      user_claim: 'oid',
      provider_error: null,
    },
  ),
  'tool_pack.updated': ofOrganization(
    {
      summary: 'A Tool Pack or its security rules were changed.',
      sent: 'Sent when a Tool Pack is created, changed or deleted, to the endpoints of both modes.',
      use: 'Reload the tools of running agents, or record the change.',
    },
    data({
      tool_pack_id: idOf('ID of the Tool Pack.'),
      name: text('Name of the Tool Pack.'),
      change: Type.Enum(['created', 'updated', 'deleted'], {
        description: '`updated` includes changes of its security rules.',
      }),
    }),
    { tool_pack_id: id(6), name: 'Support', change: 'updated' },
  ),
  'api_key.regenerated': ofOrganization(
    {
      summary: 'An API key was replaced. The old one no longer works.',
      sent: 'Sent to the endpoints of the mode of the key. The event does not contain the key.',
      use: 'Inform the people who deploy the key, in case the change was not theirs.',
    },
    data({
      api_key_id: idOf('ID of the new key.'),
      replaced_api_key_id: orNull(idOf('ID of the key that was replaced. Null if there was none.')),
    }),
    { api_key_id: id(8), replaced_api_key_id: id(9) },
  ),
  'api_key.created': ofOrganization(
    {
      summary: 'An API key was created.',
      sent: 'Sent to the endpoints of the mode of the key. The event does not contain the key.',
      use: 'Inform the people who manage the keys, in case the change was not theirs.',
    },
    data({
      api_key_id: idOf('ID of the new key.'),
      name: text('Name of the key.'),
      groups: orNull(
        Type.Array(Type.String(), { description: 'Groups of a restricted key. Null: not restricted.' }),
      ),
      expires_at: orNull(Type.String({ ...Timestamp, description: 'When the key expires. Null: never.' })),
    }),
    { api_key_id: id(8), name: 'Backend', groups: ['read'], expires_at: null },
  ),
  'api_key.rolled': ofOrganization(
    {
      summary: 'An API key was replaced. The old one works until the end of the overlap.',
      sent: 'Sent to the endpoints of the mode of the key. The event does not contain the key.',
      use: 'Remind the people who deploy the key to replace it before the old one expires.',
    },
    data({
      api_key_id: idOf('ID of the new key.'),
      replaced_api_key_id: idOf('ID of the key that was replaced.'),
      replaced_key_expires_at: Type.String({ ...Timestamp, description: 'When the old key stops working.' }),
    }),
    {
      api_key_id: id(8),
      replaced_api_key_id: id(9),
      replaced_key_expires_at: '2026-11-01T13:00:00.000Z',
    },
  ),
  'api_key.expiring': ofOrganization(
    {
      summary: 'An API key expires within seven days.',
      sent: 'Sent once, to the endpoints of the mode of the key. Rolled keys and keys that are valid for at most seven days do not send it.',
      use: 'Roll the key, which renews its lifetime, and deploy the new one.',
    },
    data({
      api_key_id: idOf('ID of the key.'),
      name: text('Name of the key.'),
      expires_at: Type.String({ ...Timestamp, description: 'When the key stops working.' }),
    }),
    { api_key_id: id(8), name: 'Backend', expires_at: '2026-11-08T12:00:00.000Z' },
  ),
  'usage.limit_reached': ofOrganization(
    {
      summary: 'The plan’s limit of tool calls was reached in this billing cycle.',
      sent: 'Sent once per cycle, when the first call is rejected because of the limit. Only production calls count.',
      use: 'Inform the people who manage the plan.',
    },
    data({
      cycle: text('First day of the cycle.'),
      limit: Type.Integer({ description: 'Calls that are included in a cycle.' }),
    }),
    { cycle: '2026-11-01', limit: 10_000 },
  ),
  'webhook_endpoint.disabled': ofOrganization(
    {
      summary:
        'A webhook endpoint was disabled, because it returned 410 or every attempt of a delivery failed.',
      sent: 'Sent to the other endpoints of the same mode.',
      use: 'Alert the people who run the receiver. `PATCH /webhook-endpoints/{id}` with `"paused": false` enables it again.',
    },
    data({
      webhook_endpoint_id: idOf('ID of the webhook endpoint.'),
      reason: Type.Enum(['gone', 'attempts_exhausted'], {
        description: '`gone`: it returned 410. `attempts_exhausted`: ten attempts of a delivery failed.',
      }),
    }),
    { webhook_endpoint_id: id(10), reason: 'gone' },
  ),
} as const

export type EventType = keyof typeof eventCatalog
export type EventData<Kind extends EventType> = Static<(typeof eventCatalog)[Kind]['data']>
export const eventTypes = Object.keys(eventCatalog) as EventType[]

const envelope = <Kind extends EventType>(type: Kind, schema: (typeof eventCatalog)[Kind]['data']) =>
  Type.Object(
    {
      id: Type.String({
        pattern: '^evt_',
        description: '`evt_…`. The same in all attempts; also the `webhook-id` header.',
      }),
      type: Type.Literal(type),
      occurred_at: Type.String({ ...Timestamp, description: 'When it happened (UTC).' }),
      mode: Type.Enum(['production', 'test'], {
        description:
          'Mode of the user or key that the event concerns. An event that concerns both modes has the mode of its receiver.',
      }),
      organization_id: idOf('ID of the organization.'),
      registered_user_id: orNull(
        idOf('ID of the Registered User. Null if the event concerns the organization.'),
      ),
      sequence: orNull(
        Type.Integer({ description: 'Events about users, links and credentials: per user, without gaps.' }),
      ),
      data: schema,
    },
    { ...strict, title: type, description: eventCatalog[type].summary },
  )

/** One schema for each type. */
export const eventSchemas = Object.fromEntries(
  eventTypes.map(type => [type, envelope(type, eventCatalog[type].data)]),
) as Record<string, TSchema>

export type EventOf<Kind extends EventType> = {
  id: string
  type: Kind
  occurred_at: string
  mode: 'production' | 'test'
  organization_id: string
  registered_user_id: string | null
  sequence: number | null
  data: EventData<Kind>
}

/** An event as it is sent to webhook endpoints. `type` determines the schema of `data`. */
export type WebhookEvent = { [Kind in EventType]: EventOf<Kind> }[EventType]

export const WebhookEvent = Type.Union(Object.values(eventSchemas), {
  description: 'An event. `type` determines the schema of `data`.',
})
export const EventList = pageOf(WebhookEvent)

export const EventQuery = Type.Object(
  {
    ...Page.Query.properties,
    type: Type.Optional(Type.Enum(eventTypes)),
    registered_user_id: Type.Optional(Type.String({ maxLength: 64 })),
  },
  strict,
)

/** An event with example data, for tests of receivers. */
export const exampleEvent = (type: EventType): WebhookEvent =>
  ({
    id: `evt_${id(1)}`,
    type,
    occurred_at: '2026-11-01T12:00:00.000Z',
    mode: 'test',
    organization_id: id(2),
    registered_user_id: eventCatalog[type].hasUser ? id(11) : null,
    sequence: hasSequence(type) ? 1 : null,
    data: eventCatalog[type].example,
  }) as WebhookEvent

const hasSequence = (type: EventType): boolean => /^(registered_user|link|credential)\./.test(type)
