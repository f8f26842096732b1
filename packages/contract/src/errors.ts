import { approvalBounds } from './approval-bounds.ts'

/**
 * Every error that the service can return. Routes, the API document, the SDK and the error page are generated from this
 * table, so a code that is not listed here cannot be sent.
 */
export type ErrorType =
  | 'validation_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found'
  | 'conflict'
  | 'rate_limit'
  | 'internal_error'

/**
 * `http`: an HTTP body. `tool`: the structured content of a tool result with `isError`, because a model can act on it. `both`: a tool result over
 * MCP, where every call has one, and an HTTP body elsewhere.
 */
export type ErrorCarrier = 'http' | 'tool' | 'both'

type ErrorEntry = {
  status: number
  type: ErrorType
  carrier: ErrorCarrier
  text: string
  /** How a tool call is recorded that ends with the error. Default: as an error. */
  outcome?: 'blocked' | 'limited'
}

const entry = (
  status: number,
  type: ErrorType,
  carrier: ErrorCarrier,
  text: string,
  outcome?: 'blocked' | 'limited',
): ErrorEntry => ({ status, type, carrier, text, ...(outcome && { outcome }) })

const invalid = (text: string, carrier: ErrorCarrier = 'http') =>
  entry(400, 'validation_error', carrier, text)
const missing = (text: string) => entry(404, 'not_found', 'http', text)

export const errorCatalogue = {
  // the request itself
  invalid_json: invalid('The body is not valid JSON.'),
  invalid_request: invalid('The request does not match the schema of this endpoint.'),
  unknown_field: invalid('The body has an unknown field. Check its spelling.'),
  invalid_cursor: invalid('The cursor is invalid. Use one that this list returned.'),
  invalid_idempotency_key: invalid('An Idempotency-Key must have 1 to 255 printable characters.', 'both'),
  not_found: missing('There is no resource at this URL.'),
  method_not_allowed: entry(
    405,
    'validation_error',
    'http',
    'This URL does not support the method. See the Allow header.',
  ),
  body_too_large: entry(413, 'validation_error', 'http', 'The body is larger than this endpoint allows.'),
  unsupported_media_type: entry(415, 'validation_error', 'http', 'Send the body as application/json.'),
  idempotency_key_reused: entry(
    409,
    'conflict',
    'both',
    'This Idempotency-Key was already used with another request. Use a new key for a new request.',
  ),
  idempotency_answer_lost: entry(
    409,
    'conflict',
    'tool',
    'The call with this Idempotency-Key was made, but its result can no longer be read. Check what it did before you repeat it with a new key.',
  ),
  idempotency_outcome_unknown: entry(
    409,
    'conflict',
    'tool',
    'It is unknown whether the first call with this Idempotency-Key was carried out. Check what it did before you repeat it with a new key.',
  ),
  conflicting_idempotency_key: invalid(
    'The header Idempotency-Key and the one in _meta differ. Send one of them, or the same value in both.',
  ),
  idempotency_in_progress: entry(
    409,
    'conflict',
    'both',
    'The first request with this Idempotency-Key is still running. Try again in a moment.',
  ),

  // keys
  missing_api_key: entry(
    401,
    'authentication_error',
    'http',
    'Send the API key as "Authorization: Bearer <API_KEY>".',
  ),
  invalid_api_key: entry(
    401,
    'authentication_error',
    'both',
    'This API key is not valid. It may have been mistyped, revoked or regenerated.',
  ),
  api_key_expired: entry(
    401,
    'authentication_error',
    'http',
    'This API key has expired. Create a new one, or use the key that replaced it.',
  ),
  key_group_required: entry(
    403,
    'permission_error',
    'http',
    'This API key does not have the group of operations that the request needs.',
  ),
  unrestricted_key_required: entry(
    403,
    'permission_error',
    'http',
    'A restricted API key cannot create, change or revoke API keys. Use an unrestricted production key or the dashboard.',
  ),
  production_key_required: entry(
    403,
    'permission_error',
    'http',
    'Keys, allowed origins and settings are managed with a production key. `carabiner org regenerate-key` issues a new one.',
  ),
  api_key_not_found: missing('There is no such API key.'),
  api_key_ended: entry(
    409,
    'conflict',
    'http',
    'This API key has expired or was already rolled, so it cannot be replaced. Use the key that replaced it, or create a new one.',
  ),
  api_key_not_rolled: entry(
    409,
    'conflict',
    'http',
    'This API key was not rolled, or its overlap is over, so there is no overlap to end.',
  ),
  api_key_limit_reached: entry(
    409,
    'conflict',
    'http',
    'An organization can have at most 100 valid API keys. Revoke one first.',
  ),
  last_production_key: entry(
    409,
    'conflict',
    'http',
    'This is the only unrestricted production key without an expiry. Create another one first, or regenerate this one.',
  ),
  mcp_key_not_accepted: entry(
    401,
    'authentication_error',
    'http',
    "This is an MCP key. It works only at the MCP endpoint of its Registered User. Use one of the organization's API keys here.",
  ),
  invalid_access_token: entry(
    401,
    'authentication_error',
    'http',
    'The access token is missing, expired or revoked, or was issued for another address. Sign in again.',
  ),
  mcp_key_not_found: missing('There is no such MCP key.'),
  mcp_key_limit_reached: entry(
    409,
    'conflict',
    'http',
    'A Registered User can have at most 20 unexpired MCP keys. Revoke one first.',
  ),
  sign_in_not_configured: missing('Sign-in is not configured for this mode.'),
  invalid_identity_provider: invalid(
    'The identity provider cannot be used: its OpenID Connect metadata could not be read or lacks a required endpoint.',
  ),
  sign_in_request_not_found: missing('There is no such sign-in request, or it has expired or ended.'),
  grant_not_found: missing('There is no such grant.'),

  // people
  session_expired: entry(
    401,
    'authentication_error',
    'http',
    'You are signed out, or the session has ended. Sign in again.',
  ),
  not_a_member: entry(
    403,
    'permission_error',
    'http',
    'You are not a member of this organization. Ask one of its administrators for an invitation.',
  ),
  permission_denied: entry(
    403,
    'permission_error',
    'http',
    'Your role does not allow this. Ask an administrator of the organization.',
  ),
  operator_required: entry(
    403,
    'permission_error',
    'http',
    'Only operators of the installation can do this. `carabiner people invite --operator` adds one.',
  ),
  recent_sign_in_required: entry(
    403,
    'permission_error',
    'http',
    'This requires a sign-in within the last ten minutes. Sign out, sign in again, then retry.',
  ),
  person_not_found: missing('There is no such person.'),
  last_operator: entry(
    409,
    'conflict',
    'http',
    'An installation must have at least one operator. Make someone else an operator first.',
  ),
  cross_site_request: entry(
    403,
    'permission_error',
    'http',
    'The request was sent by a page of another site. Use the dashboard, or an API key.',
  ),
  member_sign_in_link_invalid: entry(
    401,
    'authentication_error',
    'http',
    'This sign-in link has expired or was already used. Ask for a new one.',
  ),
  member_sign_in_link_not_allowed: entry(
    403,
    'permission_error',
    'http',
    'This person belongs to other organizations, operates the installation or has a second factor. Only the operator can create a sign-in link: `carabiner people invite`.',
  ),
  account_exists: entry(
    409,
    'conflict',
    'http',
    'This address already has an account, so the link cannot sign you in. Sign in as usual to see the invitation. If you cannot sign in, ask the operator of the installation for a link.',
  ),
  person_required: entry(
    403,
    'permission_error',
    'http',
    'No key can do this. Sign in to the dashboard as an administrator of the organization.',
  ),
  member_sign_in_failed: entry(
    401,
    'authentication_error',
    'http',
    'The email address or the password is wrong.',
  ),
  invalid_password: invalid('A password must have 12 to 256 characters.'),
  email_taken: entry(409, 'conflict', 'http', 'Another person has this email address.'),
  too_many_attempts: entry(
    429,
    'rate_limit',
    'http',
    'Too many attempts to sign in. Wait a few minutes, or ask for a sign-in link.',
  ),
  member_not_found: missing('There is no such member.'),
  invitation_not_found: missing('There is no such invitation, or it was withdrawn.'),
  already_a_member: entry(
    409,
    'conflict',
    'http',
    'This person is already a member of the organization or has been invited.',
  ),
  address_not_verified: entry(
    409,
    'conflict',
    'http',
    'Your email address is not verified, because an administrator may have used your sign-in link. Open an invitation that was sent by email, sign in with single sign-on, or ask the operator of the installation for a link.',
  ),
  last_admin: entry(
    409,
    'conflict',
    'http',
    'An organization must have at least one administrator. Make someone else an administrator first.',
  ),

  // My connections
  connections_link_used: entry(
    409,
    'conflict',
    'http',
    'Another browser or frame has used this connections link. Request a new one.',
  ),

  // webhooks
  webhook_endpoint_not_found: missing('There is no such webhook endpoint.'),
  webhook_delivery_not_found: missing('There is no such delivery.'),
  webhook_delivery_is_test: entry(
    409,
    'conflict',
    'http',
    'A test event cannot be sent again. Send another one with POST /webhook-endpoints/{id}/test.',
  ),
  webhook_endpoint_limit_reached: entry(
    409,
    'conflict',
    'http',
    'An organization can have at most 50 webhook endpoints in each mode. Delete one first.',
  ),
  invalid_webhook_url: invalid('Carabiner cannot send webhooks to this URL.'),

  // organizations
  organization_not_found: missing('There is no such organization.'),
  organization_busy: entry(
    409,
    'conflict',
    'http',
    'The organization is being moved or deleted, so it cannot be changed now.',
  ),
  organization_name_mismatch: invalid('This is not the name of the organization. Type it exactly.'),
  organization_not_exportable: entry(
    409,
    'conflict',
    'http',
    'The organization cannot be exported in its current state.',
  ),
  organization_suspended: entry(
    403,
    'permission_error',
    'both',
    'This organization is suspended. Nothing was deleted. Ask the operator of the installation to activate it.',
  ),
  invalid_origin: invalid(
    'An allowed callback origin must be https://host[:port], http://localhost:port, or a custom scheme such as myapp://.',
  ),
  callback_origin_not_found: missing('This origin is not on the list.'),
  plan_required: invalid('Per-user rate limits need the business or enterprise plan.'),

  // Link customization
  invalid_redirect_uri: invalid('redirect_uri must be an absolute URL that a browser can be redirected to.'),
  reserved_redirect_parameter: invalid(
    'redirect_uri must not have the query parameters status, Connector or scopes. The service adds them.',
  ),
  invalid_logo: invalid('This image cannot be used as a logo.'),
  unsupported_logo: entry(
    415,
    'validation_error',
    'http',
    'A logo must be a PNG, JPEG or WebP image. SVG is not supported: upload a PNG at twice the display size.',
  ),
  logo_not_found: missing('There is no logo for this theme.'),

  // registered users
  registered_user_not_found: missing('There is no such Registered User.'),
  user_inactive: entry(409, 'conflict', 'both', 'This Registered User is inactive. Reactivate it first.'),

  // policies
  policy_rule_not_found: missing('There is no such policy rule.'),
  policy_rule_without_hook: invalid('The rule has no hook.'),
  approval_not_found: missing('There is no such approval.'),
  approval_grant_not_found: missing('There is no such remembered approval.'),
  approval_call_deleted: missing(
    `The call of this approval was deleted, ${approvalBounds.callHours} hours after the end.`,
  ),
  approval_receipt_not_found: missing(
    'This approval has no receipt: no member has approved it with a passkey.',
  ),
  passkey_required: entry(
    403,
    'permission_error',
    'http',
    'A rule asks for a passkey to approve this call. Send `assertion`.',
  ),
  passkey_rejected: entry(
    403,
    'permission_error',
    'http',
    'The assertion is not a valid signature of one of your passkeys for this approval.',
  ),
  approver_mismatch: entry(
    403,
    'permission_error',
    'http',
    'The rules that ask about the call name other approvers.',
  ),
  invalid_approval_code: invalid(
    'The code is unknown, was used before, has expired, or belongs to another key.',
  ),
  approval_ended: entry(
    409,
    'conflict',
    'http',
    'The approval was already decided differently, or has ended.',
  ),
  policy_rule_name_taken: entry(
    409,
    'conflict',
    'http',
    'The policy already has a rule with this name. Choose another name.',
  ),
  policy_rule_limit_reached: entry(
    409,
    'conflict',
    'http',
    'The policy has the maximum number of rules. Combine or delete rules.',
  ),
  invalid_condition: invalid('The condition of the rule is not valid.'),

  // connectors and Tool Packs
  tool_pack_not_found: missing('There is no such Tool Pack.'),
  tool_pack_limit_reached: entry(
    409,
    'conflict',
    'http',
    'An organization can have at most 100 Tool Packs. Delete one first.',
  ),
  default_tool_pack_required: entry(
    409,
    'conflict',
    'http',
    'This is the default Tool Pack of the organization. Make another one the default first.',
  ),
  unknown_tool: invalid('The Connector has no tool with this name.'),
  unknown_scope: invalid('The Connector, or its OAuth app, cannot request this scope.'),
  tool_not_in_tool_pack: invalid('The Tool Pack does not offer this tool.'),
  duplicate_choice: invalid('Duplicate entry.'),
  invalid_tool_choice: invalid('The tool cannot be offered with these settings.'),
  conflicting_connector: invalid(
    'Connector, connector_slug and connector are names for the same field, but their values differ.',
  ),
  unknown_connector: invalid('There is no Connector with this slug.'),
  connector_not_configured: invalid(
    'This Connector has no OAuth app configured, so it cannot be linked yet.',
  ),
  connector_not_found: missing('There is no such Connector.'),
  connector_exists: entry(
    409,
    'conflict',
    'http',
    'A Connector with this slug already exists. Choose another slug.',
  ),
  connector_limit_reached: entry(
    409,
    'conflict',
    'http',
    'An organization can have at most 100 Connectors of its own. Remove one first.',
  ),
  oauth_app_not_applicable: invalid('This Connector does not use OAuth, so it needs no OAuth app.'),
  oauth_app_not_found: missing('The organization has no OAuth app of its own for this Connector.'),
  invalid_mcp_server: invalid('No MCP server could be reached at this URL.'),
  mcp_client_required: invalid(
    'The authorization server does not register clients automatically. Provide a client_id.',
  ),
  mcp_secret_required: invalid('Provide the secret that the server requires.'),
  tools_hash_mismatch: entry(
    409,
    'conflict',
    'http',
    'The pending tools have changed. Fetch them again, then accept the new hash.',
  ),
  no_pending_tools: entry(409, 'conflict', 'http', 'There are no pending tools to accept.'),
  credential_not_found: missing('There is no such credential.'),
  account_label_taken: entry(409, 'conflict', 'http', 'Another account of this connector has this label.'),
  tool_call_not_found: missing('There is no such tool call, or its record has expired.'),
  connector_needs_no_link: invalid('This Connector works without linking.'),
  connector_not_in_tool_pack: invalid('This Connector is not part of the Tool Pack.'),

  // link tokens
  invalid_callback_url: invalid('callback_url must be an absolute URL that a browser can be redirected to.'),
  unauthorized_origin: invalid(
    'Unauthorized origin: the origin of callback_url is not on the list of allowed callback origins.',
    'both',
  ),
  reserved_callback_parameter: invalid(
    'callback_url must not have the query parameters status, code or state. The service adds them.',
  ),
  invalid_link_token: missing('There is no such link token. It may have been mistyped or cut off.'),
  link_session_not_found: missing('There is no such Link session.'),
  link_not_found: missing('No link of this organization and mode has this URL.'),
  state_without_callback_url: invalid('state needs a callback_url to be returned to.'),
  code_mode_required: invalid(
    'This organization links in authorization code mode only. Provide callback_url and state.',
    'both',
  ),

  // codes: the specification's words
  invalid_authorization_code: invalid('The authorization code does not exist or was already used.'),
  authorization_code_expired: invalid('The authorization code is older than 5 minutes.'),
  code_does_not_belong_to_organization: entry(
    403,
    'permission_error',
    'http',
    'The authorization code was minted by another organization.',
  ),
  registered_user_mismatch: entry(
    409,
    'conflict',
    'http',
    'The authorization code belongs to a different Registered User. It can no longer be used: start again.',
  ),

  // tool calls
  tool_not_found: entry(404, 'not_found', 'both', 'There is no such tool in this Tool Pack.'),
  invalid_request_state: invalid(
    'The requestState was not issued for this call. Make the call again without it.',
    'tool',
  ),
  connection_declined: entry(
    403,
    'permission_error',
    'tool',
    'The user declined to connect the account, so the call was not made. Ask again only if the user wants to.',
  ),
  connection_paused: entry(
    409,
    'conflict',
    'tool',
    'The user has paused this connection, so the call was not made. It resumes at the time in resumes_at.',
  ),
  account_required: entry(
    409,
    'conflict',
    'tool',
    'The user has several accounts of this connector, so the call was not made. Repeat it with carabiner_account set to one of the labels in accounts.',
  ),
  account_unavailable: entry(
    403,
    'permission_error',
    'tool',
    'The call can use only one account, and this user has no access to it.',
  ),
  account_not_found: entry(
    404,
    'not_found',
    'tool',
    'The user has no such account of this connector, so the call was not made. Repeat it with carabiner_account set to one of the labels in accounts.',
  ),
  foreign_origin: entry(
    403,
    'permission_error',
    'http',
    'Browsers cannot call this endpoint from other pages. Call it from a backend or an agent, without an Origin header.',
  ),
  stream_required: invalid('The response is a stream: send Accept: text/event-stream.'),
  invalid_arguments: invalid('The arguments do not match the input schema of the tool.', 'tool'),
  arguments_too_complex: invalid(
    'Checking the arguments against the input schema of the tool takes too long. Send less, or simplify the schema.',
    'tool',
  ),
  check_capacity_exceeded: entry(
    429,
    'rate_limit',
    'both',
    'Too many expensive checks are pending for this organization. Retry after the time in Retry-After.',
  ),
  billing_limit_reached: entry(
    429,
    'rate_limit',
    'both',
    "The plan's limit of tool calls is reached. Calls resume with the next billing cycle.",
    'limited',
  ),
  daily_limit_reached: entry(
    429,
    'rate_limit',
    'both',
    'The Tool Pack has used all of its calls for today. Calls resume at the time in resumes_at.',
    'limited',
  ),
  rate_limited: entry(
    429,
    'rate_limit',
    'both',
    'Too many requests. Retry after the time in Retry-After.',
    'limited',
  ),
  policy_denied: entry(403, 'permission_error', 'tool', 'A policy denies this call.', 'blocked'),
  approval_denied: entry(403, 'permission_error', 'tool', 'A person denied this call.', 'blocked'),
  approval_expired: entry(
    403,
    'permission_error',
    'tool',
    'No one approved this call in time, so it was not made.',
    'blocked',
  ),
  approval_void: entry(
    403,
    'permission_error',
    'tool',
    'Something changed that the approval of this call depends on, so it was not made. Repeat the call to ask again.',
    'blocked',
  ),
  approval_used: entry(
    409,
    'conflict',
    'tool',
    'This call was approved once and has been carried out.',
    'blocked',
  ),
  approval_limit_reached: entry(
    429,
    'rate_limit',
    'both',
    'Too many calls are waiting for an approval, or too many approvals were requested within an hour.',
    'limited',
  ),
  security_rule_blocked: entry(
    403,
    'permission_error',
    'tool',
    'A security rule fired, so the call was blocked.',
    'blocked',
  ),
  result_withheld: entry(
    500,
    'internal_error',
    'tool',
    'The provider was called, but this service could not process or record the result. Check what the call did before you repeat it.',
  ),
  third_party_rejected: invalid(
    'The provider rejected the call. Change the arguments; the same call will fail again.',
    'tool',
  ),
  third_party_not_found: entry(
    404,
    'not_found',
    'tool',
    'The provider has no such resource. Change the arguments; the same call will fail again.',
  ),
  third_party_forbidden: entry(
    403,
    'permission_error',
    'tool',
    'The provider does not allow this call. The same call will fail again.',
  ),
  third_party_rate_limited: entry(
    429,
    'rate_limit',
    'tool',
    'The provider limits the rate of calls. Trying again later may help.',
  ),
  third_party_error: entry(502, 'internal_error', 'tool', 'The provider failed to complete the call.'),
  upstream_input_required: entry(502, 'internal_error', 'tool', 'The MCP server needs input from a person.'),
  third_party_timeout: entry(504, 'internal_error', 'tool', 'The provider did not respond in time.'),
  third_party_unavailable: entry(502, 'internal_error', 'tool', 'The provider cannot be reached.'),
  third_party_busy: entry(
    503,
    'internal_error',
    'tool',
    'Too many calls of this organization are waiting for the provider. Try again in a moment.',
  ),
  result_not_found: entry(
    404,
    'not_found',
    'tool',
    'There is no result with this handle. Results are stored for one hour: make the call again.',
  ),
  cancelled: entry(409, 'conflict', 'tool', 'The caller canceled the call.'),

  // the service
  wrong_cell: entry(
    421,
    'not_found',
    'both',
    'The organization of this key or link is not served by this installation. Send the request to the public URL of the service.',
  ),
  organization_moving: entry(
    503,
    'internal_error',
    'both',
    'This organization is being moved to another installation. Try again in a few seconds.',
  ),
  internal_error: entry(
    500,
    'internal_error',
    'both',
    'Something went wrong. Include the request ID when you contact support.',
  ),
  unavailable: entry(
    503,
    'internal_error',
    'both',
    'The service cannot respond right now. Try again shortly.',
  ),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCatalogue

export const describeError = (code: ErrorCode): ErrorEntry => errorCatalogue[code]

/** Errors of calls that reached the provider. Their messages may quote it. */
export const thirdPartyErrors: readonly ErrorCode[] = [
  'third_party_rejected',
  'third_party_not_found',
  'third_party_forbidden',
  'third_party_rate_limited',
  'third_party_error',
  'third_party_timeout',
  'upstream_input_required',
]

export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[]
