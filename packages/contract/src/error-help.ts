import { approvalBounds } from './approval-bounds.ts'
import type { ErrorCode } from './errors.ts'

type Help = {
  /** Why the service returns the error. */
  cause: string
  /** What the caller does about it. */
  fix: string
}

/** Explanations for the error reference (`docs/errors.md`). They are not part of any response. */
export const errorHelp: Record<ErrorCode, Help> = {
  invalid_json: {
    cause:
      'The body could not be parsed: a missing quote, a trailing comma, or a body that is not JSON at all.',
    fix: 'Serialize the body with a JSON library. An empty body is allowed and equals `{}`.',
  },
  invalid_request: {
    cause: 'A field is missing, has the wrong type or an invalid value. `param` names the field.',
    fix: 'Compare the request with the schema of the endpoint in the API reference.',
  },
  unknown_field: {
    cause:
      'The body contains a field that the endpoint does not have. It is not ignored, because a typo must not change what the request does.',
    fix: 'Correct or remove the field that `param` names. The message lists the known fields.',
  },
  invalid_cursor: {
    cause: 'The value of `cursor` was changed, truncated, or comes from another list.',
    fix: 'Send `next_cursor` of the previous page unchanged, or start again without a cursor.',
  },
  invalid_idempotency_key: {
    cause:
      'The `Idempotency-Key` header is empty, longer than 255 characters, or contains characters that are not printable.',
    fix: 'Send a UUID.',
  },
  not_found: {
    cause: 'No route or file exists at the address.',
    fix: 'Check the path. API routes begin with `/api/v1/`.',
  },
  method_not_allowed: {
    cause: 'The address exists, but not for this method.',
    fix: 'Use one of the methods in the `Allow` response header.',
  },
  body_too_large: {
    cause: 'The body exceeds the limit: 256 KiB for most endpoints.',
    fix: 'Send less. Pass large data to a tool by reference, such as a URL or an ID.',
  },
  unsupported_media_type: {
    cause: 'The `Content-Type` header is missing or names another format.',
    fix: 'Send `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    cause: 'The key was sent earlier with a different method, path or body.',
    fix: 'Create one key per operation, and reuse it only for repetitions of the same request.',
  },
  idempotency_answer_lost: {
    cause:
      'The first call with this key reached the provider, but its result was not stored or can no longer be decrypted.',
    fix: 'Check at the provider what the call did. Then repeat it with a new key if necessary.',
  },
  idempotency_outcome_unknown: {
    cause:
      'The first call with this key reached the provider, but its response was lost: the connection broke, it took too long, or the process ended. The provider does not recognize repeated requests, so the call is not sent again.',
    fix: 'Check at the provider whether the call was carried out. If it was not, repeat it with a new key.',
  },
  conflicting_idempotency_key: {
    cause:
      'The HTTP header `Idempotency-Key` and `_meta["Idempotency-Key"]` of a tool call have the same meaning but different values. A batch takes no header because it may contain several calls.',
    fix: 'Send only one of them.',
  },
  idempotency_in_progress: {
    cause: 'The first request with this key has not finished yet.',
    fix: 'Repeat the request after a short pause. It then returns the result of the first one.',
  },
  missing_api_key: {
    cause: 'The request has no `Authorization` header, or the header has another scheme.',
    fix: 'Send `Authorization: Bearer <API_KEY>`.',
  },
  invalid_api_key: {
    cause:
      'The key was mistyped, revoked or regenerated, or belongs to another installation. A regenerated key stops working immediately.',
    fix: 'Use the current key of the organization. If it is lost, regenerate it in the dashboard (Settings, API keys) or with `carabiner org regenerate-key`.',
  },
  api_key_expired: {
    cause: 'The key has reached its expiry, or it was rolled and its overlap is over.',
    fix: 'Use the key that replaced it. If there is none, create one in the dashboard (Settings, API keys) or with `carabiner keys create`.',
  },
  key_group_required: {
    cause:
      'The key is restricted to groups of operations, and the request belongs to another group. The message names the missing group. The groups `policies` and `approvals` are part of no unrestricted key.',
    fix: 'Use a key that has the group. The groups of a key cannot be changed: create a new key if none has it.',
  },
  unrestricted_key_required: {
    cause:
      'A restricted key was used to create, roll, regenerate, end or revoke an API key. Restricted keys cannot do that, so that no key can extend its own access.',
    fix: 'Use an unrestricted production key, or the dashboard (Settings, API keys).',
  },
  production_key_required: {
    cause: 'A test key was used for a request that changes settings of the whole organization.',
    fix: 'Send a production key.',
  },
  api_key_not_found: {
    cause: 'The ID does not exist in this organization, or the key was deleted.',
    fix: 'List the keys, and use one of the listed IDs.',
  },
  api_key_ended: {
    cause: 'The key has expired, or was rolled and is replaced by another key.',
    fix: 'List the keys. `replaced_by` of a rolled key is the ID of the current one, which can be rolled or regenerated.',
  },
  api_key_not_rolled: {
    cause: 'The request ends the overlap of a rolled key, but the key was not rolled or has expired.',
    fix: 'To make a key that was not rolled invalid, revoke or regenerate it.',
  },
  api_key_limit_reached: {
    cause: 'The organization has 100 valid API keys, including rolled keys in their overlap.',
    fix: 'Revoke keys that are no longer used. Use an MCP key for each agent of a user instead of an API key.',
  },
  last_production_key: {
    cause:
      'Without the key, the organization would have no unrestricted production key, or only some that will expire.',
    fix: 'Create another production key without groups and without an expiry, then revoke this one.',
  },
  mcp_key_not_accepted: {
    cause: 'A key that starts with `cb_mcp_` was used outside of the MCP endpoint of its user.',
    fix: 'Use an API key (`cb_sk_…`) on your backend. Give MCP keys to agents on a user’s machine only.',
  },
  invalid_access_token: {
    cause:
      'The MCP client is not signed in, its access token has expired, the grant was revoked, or the token belongs to another Tool Pack or mode.',
    fix: 'Let the client sign the user in: the `WWW-Authenticate` header names the metadata that it needs. With an API key or MCP key, use the address that contains the Registered User.',
  },
  mcp_key_not_found: {
    cause: 'The ID does not exist for this user, or the key was revoked.',
    fix: 'List the MCP keys of the user, and use one of the listed IDs.',
  },
  mcp_key_limit_reached: {
    cause: 'The user already has 20 unexpired MCP keys.',
    fix: 'Revoke keys that are no longer used, or mint keys with a shorter lifetime.',
  },
  sign_in_not_configured: {
    cause: 'No identity provider and no sign-in address is configured for the mode of the API key.',
    fix: 'Configure sign-in in the dashboard (Settings, User sign-in) or with `PUT /sign-in`.',
  },
  invalid_identity_provider: {
    cause:
      'The issuer has no OpenID Connect metadata at `/.well-known/openid-configuration`, the metadata names another issuer, or an endpoint is missing or may not be called.',
    fix: 'Check the issuer URL: it must be identical to `issuer` in the metadata.',
  },
  sign_in_request_not_found: {
    cause: 'The request ID is wrong, the request is older than 15 minutes, or the user has finished it.',
    fix: 'Let the user start again in the MCP client.',
  },
  grant_not_found: {
    cause: 'The ID does not exist for this user, or the grant was revoked.',
    fix: 'List the grants of the user, and use one of the listed IDs.',
  },
  session_expired: {
    cause:
      'The person is signed out of the dashboard: the session ended, was revoked on another device, or its cookie was deleted.',
    fix: 'Sign in again.',
  },
  not_a_member: {
    cause: 'The signed-in person has no role in the organization.',
    fix: 'Ask an administrator of the organization for an invitation.',
  },
  permission_denied: {
    cause: 'The role of the signed-in person does not include this action.',
    fix: 'Ask an administrator to do it or to change the role.',
  },
  operator_required: {
    cause:
      'The page or action concerns the whole installation, and the signed-in person is not one of its operators.',
    fix: 'Ask an operator, or add one on the server with `carabiner people invite --operator`.',
  },
  recent_sign_in_required: {
    cause: 'The action is sensitive, and the last sign-in was more than ten minutes ago.',
    fix: 'Sign out, sign in, and repeat the action.',
  },
  person_not_found: {
    cause: 'The ID does not exist, or the person was removed.',
    fix: 'Use an ID from the list of people.',
  },
  last_operator: {
    cause: 'The request would leave the installation without an operator.',
    fix: 'Make another person operator first.',
  },
  cross_site_request: {
    cause:
      'A page of another site sent a request with the cookie of the dashboard, or a proxy changed the `Host` or `Origin` header.',
    fix: 'Use an API key from your own programs. If the dashboard itself fails, set `BASE_URL` to the public address and let the proxy pass on `Host`.',
  },
  member_sign_in_link_invalid: {
    cause: 'The link was used, has expired, or was truncated by a mail program.',
    fix: 'Ask for a new link.',
  },
  member_sign_in_link_not_allowed: {
    cause:
      'An administrator of one organization requested a sign-in link for a person whose account reaches beyond that organization or has a second factor.',
    fix: 'The operator creates the link with `carabiner people invite`.',
  },
  account_exists: {
    cause:
      'An administrator of one organization created the link for a person whose account reaches beyond that organization or has a second factor. Such a link does not sign anyone in.',
    fix: 'Sign in as usual and accept the invitation. If you have lost the password, the operator creates a link with `carabiner people invite`.',
  },
  person_required: {
    cause:
      'The request has an API key. Members, invitations and sign-in links are managed by people only, so that a leaked key cannot create an administrator.',
    fix: 'Use the dashboard (Settings → Team), or the operator’s `carabiner people invite`.',
  },
  member_sign_in_failed: {
    cause: 'The email address is unknown, or the password is wrong. The response does not reveal which.',
    fix: 'Try again, or ask an administrator for a sign-in link.',
  },
  invalid_password: {
    cause: 'The password is shorter than 12 or longer than 256 characters.',
    fix: 'Choose a password of 12 to 256 characters.',
  },
  email_taken: {
    cause: 'Another person in this installation has the email address.',
    fix: 'Use another address, or invite the existing person.',
  },
  too_many_attempts: {
    cause: 'Several attempts to sign in failed in a short time.',
    fix: 'Wait for the time in `Retry-After`, or sign in with a sign-in link.',
  },
  member_not_found: {
    cause: 'The person is not a member of this organization, or has left it.',
    fix: 'Use an ID from the list of members.',
  },
  invitation_not_found: {
    cause: 'The invitation was accepted or declined before, or an administrator has removed it.',
    fix: 'Ask an administrator of the organization for a new invitation.',
  },
  already_a_member: {
    cause: 'The person already has a role in the organization, or a pending invitation.',
    fix: 'Change the role of the member instead.',
  },
  address_not_verified: {
    cause:
      'The person has not proved that the email address is theirs, or has used a link that was shown to an administrator. The administrator could act as this person.',
    fix: 'Prove the address with an invitation that was sent by email, single sign-on, or a link from `carabiner people invite`.',
  },
  last_admin: {
    cause: 'The request would leave the organization without an administrator.',
    fix: 'Make another member administrator first.',
  },
  connections_link_used: {
    cause: 'A link to My connections works in one browser only, and another one opened it first.',
    fix: 'Request a new link when the user asks for the page.',
  },
  webhook_endpoint_not_found: {
    cause: 'The ID does not exist in this organization and mode, or the endpoint was deleted.',
    fix: 'Use a key of the mode in which the endpoint was created, and an ID from its list.',
  },
  webhook_delivery_not_found: {
    cause: 'The ID does not exist in this mode, or the delivery is older than its retention.',
    fix: 'List the deliveries of the endpoint.',
  },
  webhook_delivery_is_test: {
    cause: 'The delivery is a test event. Test events are sent once and are never retried.',
    fix: 'Send a new test event to the endpoint.',
  },
  webhook_endpoint_limit_reached: {
    cause: 'The organization has 50 endpoints in this mode.',
    fix: 'Delete endpoints that are no longer used.',
  },
  invalid_webhook_url: {
    cause:
      'The URL is not https, or resolves to a private address. http is allowed on loopback in development only.',
    fix: 'Use a public https URL. To develop a receiver, run `carabiner webhooks listen`.',
  },
  organization_not_found: {
    cause: 'The ID does not exist in this installation.',
    fix: 'Use an ID from the list of organizations.',
  },
  organization_busy: {
    cause: 'The organization is being moved to another installation, or deleted.',
    fix: 'Wait until the move has finished, then repeat the request.',
  },
  organization_name_mismatch: {
    cause: 'A deletion must be confirmed with the name of the organization, and the typed name differs.',
    fix: 'Type the name exactly as it is shown, including upper and lower case.',
  },
  organization_not_exportable: {
    cause: 'The organization is being moved or deleted.',
    fix: 'Wait until this has finished, then export it.',
  },
  organization_suspended: {
    cause: 'The operator has suspended the organization. Its data is kept.',
    fix: 'Ask the operator of the installation to activate it.',
  },
  invalid_origin: {
    cause: 'The entry has a path, a query, a wildcard, a user name, or an unsupported scheme.',
    fix: 'Enter scheme and host, with the port if it is not the default: `https://app.example.com`, `http://localhost:3000` or `myapp://`.',
  },
  callback_origin_not_found: {
    cause: 'The origin is not on the list of allowed callback origins.',
    fix: 'List the origins, and send the one to remove exactly as it is listed.',
  },
  plan_required: {
    cause: 'The organization has the plan `free` or `starter`, which have no rate limits per user.',
    fix: 'Change the plan to `business` or `enterprise`, or omit `rate_limit_per_minute`.',
  },
  invalid_redirect_uri: {
    cause: '`redirect_uri` of the Link customization is relative, or has a scheme such as `javascript:`.',
    fix: 'Send an absolute URL whose origin is an allowed callback origin.',
  },
  reserved_redirect_parameter: {
    cause: 'The query of `redirect_uri` contains a parameter that the service appends.',
    fix: 'Remove `status`, `Connector` and `scopes` from it.',
  },
  invalid_logo: {
    cause: 'The file is damaged, or its dimensions are outside of the limits.',
    fix: 'Upload a PNG, JPEG or WebP image of at most 512 kB.',
  },
  unsupported_logo: {
    cause: 'The file is in another format. SVG is rejected because it may contain scripts.',
    fix: 'Export the logo as PNG at twice the size at which it is displayed.',
  },
  logo_not_found: {
    cause: 'No logo was uploaded for this theme.',
    fix: 'Upload one, or leave the theme without a logo.',
  },
  registered_user_not_found: {
    cause: 'The ID does not exist in this organization and mode, is not a UUID, or the user was deleted.',
    fix: 'Use the `id` that `POST /registered-users` returned, with a key of the same mode.',
  },
  user_inactive: {
    cause: 'The user was deactivated. Credentials were revoked, and calls fail.',
    fix: 'Reactivate the user with `PATCH /registered-users/{id} {"is_active": true}`; accounts must be linked again.',
  },
  tool_pack_not_found: {
    cause: 'The ID does not exist in this organization, or the Tool Pack was deleted.',
    fix: 'Use an ID from `GET /tool-packs`.',
  },
  approval_grant_not_found: {
    cause:
      'The ID is wrong, belongs to another organization or mode, or the remembered approval was deleted after its end.',
    fix: 'List the remembered approvals: `GET /approval-grants`.',
  },
  approval_not_found: {
    cause:
      'The ID is wrong, belongs to another organization or mode, or the approval was deleted with its records.',
    fix: 'List the approvals: `GET /approvals`.',
  },
  approval_call_deleted: {
    cause: `Arguments and request are deleted ${approvalBounds.callHours} hours after the approval has ended.`,
    fix: 'Read the record of the call, if the organization stores arguments.',
  },
  approval_receipt_not_found: {
    cause: 'Only members who approve with a passkey leave a receipt. A rule with `step_up` requires it.',
    fix: 'Check `with_passkey` in `decisions` of the approval: `GET /approvals/{id}`.',
  },
  passkey_required: {
    cause: 'A rule with `step_up` asks about the call, and the decision came without `assertion`.',
    fix: 'Approve in the dashboard. Passkeys are added there, under your account.',
  },
  passkey_rejected: {
    cause:
      'The passkey is unknown or belongs to another person, it has signed something else, the person was not verified by PIN, fingerprint or face, or the assertion was used before.',
    fix: 'Approve again, with a passkey that was added in this dashboard.',
  },
  approver_mismatch: {
    cause:
      'Each rule names who can approve: the user, the owner of the account, or members. `rules` of the approval lists them.',
    fix: 'Let one of those people decide, or change `approvers` of the rule.',
  },
  invalid_approval_code: {
    cause: `A code can be confirmed once, within ${approvalBounds.confirmMinutes} minutes, by the key that created the link. A confirmation for another user destroys it.`,
    fix: 'Create a new link, and let the user decide again.',
  },
  approval_ended: {
    cause: 'Someone else already decided, the time to decide is over, or the call was withdrawn or has run.',
    fix: 'Retrieve the approval: `GET /approvals/{id}`. The caller can repeat the call to ask again.',
  },
  policy_rule_not_found: {
    cause: 'The ID is wrong, or the rule was deleted.',
    fix: 'List the rules with `GET /policy-rules`.',
  },
  policy_rule_without_hook: {
    cause: 'The rule has an effect, so no endpoint decides about its calls.',
    fix: 'Give the rule a `hook`: `PATCH /policy-rules/{id}`.',
  },
  policy_rule_name_taken: {
    cause: 'Names are unique in a policy, so that callers and the audit trail can refer to rules by name.',
    fix: 'Choose another name, or change the existing rule.',
  },
  policy_rule_limit_reached: {
    cause: 'A policy has at most 100 rules.',
    fix: 'Combine rules: one rule can name several tools, and a condition can contain `||`.',
  },
  invalid_condition: {
    cause:
      'The expression has a syntax error, does not result in true or false, or reads a field that calls do not have.',
    fix: 'Correct the expression. The message describes the problem and names similar fields.',
  },
  tool_pack_limit_reached: {
    cause: 'The organization has 100 Tool Packs.',
    fix: 'Delete Tool Packs that no agent uses.',
  },
  default_tool_pack_required: {
    cause: 'The Tool Pack is the default of the organization, so it cannot be deleted.',
    fix: 'Make another Tool Pack the default, then delete this one.',
  },
  unknown_tool: {
    cause: 'A Tool Pack or a request for a link names a tool that the connector does not have.',
    fix: 'Use a name from `GET /connectors/{slug}/tools`.',
  },
  unknown_scope: {
    cause:
      'A request for a link names a scope, or a tool that needs one, that the connector file does not list or that your OAuth app is not configured with.',
    fix: 'Use a scope of the connector. If you have configured the scopes of your OAuth app, add it there first.',
  },
  tool_not_in_tool_pack: {
    cause: 'A request for a link names a tool that the Tool Pack does not offer.',
    fix: 'Add the tool to the Tool Pack, or name another Tool Pack in `tool_pack_id`.',
  },
  duplicate_choice: {
    cause: 'The same connector, tool or value is listed twice.',
    fix: 'Remove one of the two entries.',
  },
  invalid_tool_choice: {
    cause: 'A fixed value, a new name or a description in the Tool Pack does not fit the schema of the tool.',
    fix: 'Correct the field that `param` names.',
  },
  conflicting_connector: {
    cause:
      'The request has two of the fields `Connector`, `connector_slug` and `connector`, with different values.',
    fix: 'Send one of them.',
  },
  unknown_connector: {
    cause: 'The slug is not in the catalog and not a connector of the organization.',
    fix: 'Use a slug from `GET /connectors`.',
  },
  connector_not_configured: {
    cause:
      'The connector is linked by OAuth, and neither the installation nor the organization has an OAuth app for it.',
    fix: 'Register an app at the provider, then add its client ID and secret: [Custom OAuth app](guides/custom-oauth-app.md).',
  },
  connector_not_found: {
    cause: 'The slug does not exist, or the connector was removed.',
    fix: 'Use a slug from `GET /connectors`.',
  },
  connector_exists: {
    cause: 'A connector of the catalog or of the organization has this slug.',
    fix: 'Choose another slug.',
  },
  connector_limit_reached: {
    cause: 'The organization has 100 connectors of its own.',
    fix: 'Remove connectors that no Tool Pack uses.',
  },
  oauth_app_not_applicable: {
    cause: 'The connector is linked with an API key, or needs no account.',
    fix: 'Add OAuth apps only to connectors whose `auth` is OAuth.',
  },
  oauth_app_not_found: {
    cause: 'The organization uses the installation’s own app for this connector.',
    fix: 'Nothing to do: the organization has no OAuth app of its own.',
  },
  invalid_mcp_server: {
    cause: 'The URL is not public https, does not respond in time, or does not respond like an MCP server.',
    fix: 'Check the URL with another MCP client. The server must be reachable at a public address.',
  },
  mcp_client_required: {
    cause:
      'The authorization server of the MCP server offers neither dynamic client registration nor client metadata documents.',
    fix: 'Register a client there with the redirect URI that the error names, then send its `client_id`.',
  },
  mcp_secret_required: {
    cause: 'The MCP server rejects requests without a secret.',
    fix: 'Send the secret with the request that adds the connector.',
  },
  tools_hash_mismatch: {
    cause: 'The MCP server changed its tools again after you had read the pending ones.',
    fix: 'Read the pending tools again, check them, and accept the new hash.',
  },
  no_pending_tools: {
    cause: 'The tools of the connector have not changed, or were accepted already.',
    fix: 'Nothing to do.',
  },
  credential_not_found: {
    cause: 'The ID does not exist in this organization and mode, or the account was disconnected.',
    fix: 'Read the current credentials of the user.',
  },
  tool_call_not_found: {
    cause:
      'The ID does not exist in this organization and mode, or the record is older than the retention of the plan.',
    fix: 'Search with `GET /tool-calls`. Export records that you must keep longer.',
  },
  connector_needs_no_link: {
    cause: 'The connector has tools that need no account.',
    fix: 'Call its tools directly.',
  },
  connector_not_in_tool_pack: {
    cause: 'The connector exists, but the Tool Pack of the link does not include it.',
    fix: 'Add it to the Tool Pack, or mint the link with another `tool_pack_id`.',
  },
  invalid_callback_url: {
    cause: '`callback_url` is relative, contains a user name, or has a scheme such as `javascript:`.',
    fix: 'Send an absolute https URL, or one with your app’s own scheme.',
  },
  unauthorized_origin: {
    cause:
      'The origin of `callback_url`, or of the page that embeds Link, is not on the list. Matching is exact: scheme, host and port.',
    fix: 'Add the origin: `POST /callback-origins {"origin": "https://app.example.com"}` with the production key.',
  },
  reserved_callback_parameter: {
    cause: 'The query of `callback_url` contains a parameter that the service appends.',
    fix: 'Remove `status`, `code` and `state` from it, and send `state` as a field of the request.',
  },
  invalid_link_token: {
    cause: 'The token was mistyped or truncated, or belongs to another installation.',
    fix: 'Pass the token on unchanged, or mint a new one.',
  },
  link_session_not_found: {
    cause: 'The ID does not exist in this organization and mode.',
    fix: 'Read the sessions of the user: `GET /registered-users/{id}/link-sessions`.',
  },
  link_not_found: {
    cause: 'The URL is not a link of this organization, or belongs to the other mode.',
    fix: 'Search with a key of the other mode.',
  },
  state_without_callback_url: {
    cause: '`state` was sent without `callback_url`, so there is no address to return it to.',
    fix: 'Send both, or neither.',
  },
  code_mode_required: {
    cause: 'The organization’s setting `link_binding` is `code_only`.',
    fix: 'Send `callback_url` and `state`, and set `runtime_callback_url` for links that are minted at runtime.',
  },
  invalid_authorization_code: {
    cause: 'The code is unknown, was mistyped, was redeemed before, or belongs to the other mode.',
    fix: 'Final for this code: mint a new link token. Redeem each code once, on your backend.',
  },
  authorization_code_expired: {
    cause: 'More than five minutes passed between the callback and the confirmation.',
    fix: 'Final for this code: mint a new link token. Confirm in the handler of the callback.',
  },
  code_does_not_belong_to_organization: {
    cause:
      'The code was sent with the key of another organization, so it has leaked or two environments are mixed up.',
    fix: 'Final: the code is invalid for every organization. Check which API key the backend uses, then mint a new link token.',
  },
  registered_user_mismatch: {
    cause:
      'The user who is signed in to your application is not the user for whom the link was minted. This can be a sign of an attack.',
    fix: 'Final for this code. Start again for the signed-in user.',
  },
  tool_not_found: {
    cause:
      'The tool is not in the Tool Pack, or is excluded by the `connectors` parameter of the address. Names that differ only in case or separators are understood.',
    fix: 'Use one of the similar tools that the message names, or fetch `tools/list` again. [Explain](guides/explain.md) names the exact reason.',
  },
  invalid_request_state: {
    cause: 'The client sent a `requestState` that belongs to another call or was changed.',
    fix: 'Repeat the call without it.',
  },
  connection_declined: {
    cause: 'The user declined the client’s request to connect the account.',
    fix: 'Ask again only when the user wants to.',
  },
  connection_paused: {
    cause: 'The user or your application has paused the connection.',
    fix: 'Wait for `resumes_at`, or resume it: `POST /registered-users/{id}/credentials/{credential_id}/resume`.',
  },
  account_label_taken: {
    cause: 'Labels are unique among a user’s accounts of a connector.',
    fix: 'Choose another label, or rename the other account first.',
  },
  account_required: {
    cause: 'The user has linked several accounts of the connector, and the call does not name one of them.',
    fix: 'Repeat the call with `carabiner_account` set to a label from `accounts` ([Several accounts](guides/several-accounts.md)).',
  },
  account_unavailable: {
    cause:
      'The Tool Pack fixes an account of the connector by its ID, and it is revoked or not accessible to the user.',
    fix: 'Link the account again, share it with the user or the Tool Pack, or fix another one ([Several accounts](guides/several-accounts.md)).',
  },
  account_not_found: {
    cause: '`carabiner_account` is neither the label nor the credential ID of an account of the user.',
    fix: 'Use a label from `accounts`, or fetch `tools/list` again.',
  },
  foreign_origin: {
    cause: 'A browser sent the request from a page. API keys must not be in a page.',
    fix: 'Call the endpoint from your backend.',
  },
  stream_required: {
    cause: 'The address is an event stream, and the client does not accept one.',
    fix: 'Send `Accept: text/event-stream`.',
  },
  invalid_arguments: {
    cause:
      'The model sent arguments that do not match the schema of the tool. `errors` lists all problems, with allowed values and known fields.',
    fix: 'Usually nothing: the model reads the error and corrects the call.',
  },
  arguments_too_complex: {
    cause: 'The schema of the tool has patterns that take too long for these arguments.',
    fix: 'Send shorter values, or fix the schema of your own MCP server.',
  },
  check_capacity_exceeded: {
    cause: 'Many calls with expensive schemas are being checked at the same time.',
    fix: 'Retry after the time in `Retry-After`.',
  },
  billing_limit_reached: {
    cause: 'The organization has used all calls of its plan in this cycle. Test keys are not limited.',
    fix: 'Wait for the next cycle, or change the plan.',
  },
  daily_limit_reached: {
    cause:
      'The successful calls of this day (UTC) and those in progress have reached `daily_call_limit` of the Tool Pack. Test users are not limited.',
    fix: 'Call again at `resumes_at`, or raise the limit: `PATCH /tool-packs/{id}` with `daily_call_limit`.',
  },
  rate_limited: {
    cause: 'The user’s `rate_limit_per_minute`, or a limit of the endpoint, is exceeded.',
    fix: 'Wait for the time in `Retry-After`. Raise the limit of the user if it is too low.',
  },
  policy_denied: {
    cause:
      'A rule of a policy with the effect `deny` matches the call, or its default is `deny` and no rule matches. A rule whose condition cannot be evaluated counts as matching. A hook may have denied the call, or may not have answered in time.',
    fix: 'Explain shows the rule. Change the call, or change the rule if it is wrong. Do not retry the same call.',
  },
  approval_denied: {
    cause: `A person denied exactly this call within the last ${approvalBounds.quietMinutes} minutes. The message contains the reason, if there is one.`,
    fix: 'Do not repeat the call. Follow the reason, or tell the user.',
  },
  approval_expired: {
    cause: `The call waited for a decision, and the approval expired after ${approvalBounds.pendingMinutes} minutes or was withdrawn.`,
    fix: 'Tell the user. Repeat the call to ask again.',
  },
  approval_void: {
    cause:
      'The call waited for a decision, and the account, the tool, a rule, the sign-in of the user or an approver changed meanwhile. `void_reason` of the approval says what.',
    fix: 'Repeat the call. A person is asked about it as it is now.',
  },
  upstream_input_required: {
    cause:
      'The MCP server asks for input from a person during the call or its task. Its questions and links are not passed on, because this service does not vouch for them.',
    fix: 'Provide the input in the provider directly. Do not repeat the call unchanged.',
  },
  approval_used: {
    cause: `The same call was approved and carried out within the last ${approvalBounds.quietMinutes} minutes. An approval is valid for one call, and results are not stored.`,
    fix: 'Read the record of the call that the message names. To make the same call again, wait and ask again.',
  },
  approval_limit_reached: {
    cause: `At most ${approvalBounds.pendingOfUser} calls of a user and ${approvalBounds.pendingOfCaller} of a caller wait for a decision at the same time, and a caller can ask ${approvalBounds.requestsPerHour} times an hour.`,
    fix: 'Wait until calls are decided, or withdraw some: `POST /approvals/{id}/withdraw`.',
  },
  security_rule_blocked: {
    cause: 'A rule of the Security Gateway with the action `block` matched the arguments or the result.',
    fix: 'Read the violation in the dashboard (Security), and change the rule if it is wrong. Do not retry.',
  },
  result_withheld: {
    cause:
      'The service lost its database, or failed otherwise, after it had called the provider. `carried_out` says whether the provider completed the call: `yes` or `unknown`.',
    fix: 'Repeat reads. Before repeating a change, check at the provider what happened.',
  },
  third_party_rejected: {
    cause:
      'The provider responded with a 4xx status, or with an error in a successful response. The message contains its status and text.',
    fix: 'Change the arguments as the message says. The same call will fail again.',
  },
  third_party_not_found: {
    cause:
      'The provider responded with 404 or 410: an ID in the arguments is wrong, or the resource was deleted.',
    fix: 'Find the resource with a tool that lists or searches, and call again with its ID.',
  },
  third_party_forbidden: {
    cause:
      'The provider responded with 402, 403 or 451, did not grant the permissions that the tool needs, or rejects the secret of the organization. The message contains its reason.',
    fix: 'Check what the account may do at the provider. Use another account, or ask its administrator.',
  },
  third_party_rate_limited: {
    cause: 'The provider responded with 429: the account or the OAuth app has made too many requests.',
    fix: 'Wait for `retry_after_seconds` if it is present, otherwise retry later with increasing delays.',
  },
  third_party_error: {
    cause:
      'The provider responded with a 5xx status, a redirect, or a response that cannot be read. The message contains its status and text. Or it responded with 401, without stating that the credential has ended: the account stays connected and is checked again.',
    fix: 'If `retryable` is true, retry later. Before repeating a change, read `carried_out`.',
  },
  third_party_timeout: {
    cause: 'The provider did not respond within 30 seconds. It may have done the work.',
    fix: 'Retry reads. Before repeating a change, check what happened, and use a new `Idempotency-Key`.',
  },
  third_party_unavailable: {
    cause: 'The connection failed, or the circuit breaker of the connector is open after repeated failures.',
    fix: 'Retry after the time in `Retry-After`.',
  },
  third_party_busy: {
    cause: 'The concurrency limit of the organization for this provider is reached, and so is its queue.',
    fix: 'Retry after a short pause, or make fewer calls at the same time.',
  },
  result_not_found: {
    cause: 'The handle has expired after one hour, or belongs to another user.',
    fix: 'Make the original call again.',
  },
  cancelled: {
    cause: 'The client canceled the call or disconnected.',
    fix: 'Nothing to do. If the tool changes data, check whether it did.',
  },
  wrong_cell: {
    cause:
      'The installation has several cells, and the request reached one that does not serve the organization.',
    fix: 'Use the public URL of the service. Operators: check the map of the load balancer.',
  },
  organization_moving: {
    cause: 'The organization is being moved to another cell. Changes wait for the last step.',
    fix: 'Retry after the time in `Retry-After`.',
  },
  internal_error: {
    cause: 'A fault in the service. The log entry with the same request ID has the details.',
    fix: 'Retry once. If it happens again, send the request ID to the operator.',
  },
  unavailable: {
    cause:
      'The database or another part that the request needs is not available, or the service is stopping.',
    fix: 'Retry after the time in `Retry-After`. Operators: run `carabiner doctor`.',
  },
}
