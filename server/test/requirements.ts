/**
 * The implemented requirements of the specification, by ID. A test title lists the requirements that the test covers in
 * brackets, such as `[code.single-use]`. `requirements.test.ts` fails on a requirement without a test, and on an unknown ID.
 */
export const requirements = {
  // §2 resources
  'user.id-is-uuid': 'A Registered User has an id (UUID), used in paths',
  'connector.slug': 'A Connector is identified by a slug: lowercase, hyphen-separated',
  'connector.custom':
    'A custom Connector is an MCP server of the organization; its tools are discovered and exposed through the same MCP URL',
  'pack.picker-lists-all':
    'Without a Connector, the picker lists every Connector configured on the Tool Pack',
  'link-token.opaque-with-expiry':
    'link_token is opaque; expires_at is an ISO 8601 UTC timestamp 30 minutes ahead',
  'link-token.one-user-one-connector':
    'A token is for one Registered User, optionally locked to one Connector',
  'magic-link.shape': 'magic_link_url is {base_url}/magic-link/<opaque>, signed',
  'code.only-in-callback': 'The code is returned only in the callback query, only in code mode',
  'credential.fields': 'credential_id (UUID), connector_slug, registered_user_id (UUID)',
  'credential.sealed-at-rest': 'Stored credentials are encrypted at rest with AES-256',
  'request.connector-names': 'Connector and connector_slug have the same meaning',
  'request.callback-url': 'callback_url: where the browser is redirected; its origin must be allow-listed',
  'request.state': 'state together with callback_url turns on code mode',
  'response.link-token': 'The response carries link_token, expires_at and magic_link_url',
  'meta.payload':
    'authenticate_meta carries type, Connector, link_token, expires_at, magic_link_url, message',
  'callback.status': 'status is always present: success, error or exit',
  'callback.code-and-state': 'code and state only in code mode; state is the value supplied',
  'callback.no-own-state': 'The caller must not append its own state to callback_url',

  // §3 states and transitions
  'token.mint': 'POST link-token mints a token',
  'token.used-once': 'A completed session uses up the token, within 30 minutes',
  'token.expires': 'After 30 minutes an unused token is expired',
  'token.used-again': 'A used link opened again stays used',
  'session.direct': 'Without state: credential stored, then completion page or callback_url with status',
  'session.code-issued': 'With callback_url and state: code issued, credential not yet stored',
  'session.confirm': 'Confirm of a valid code stores the credential and consumes the code',
  'session.code-used-or-unknown': 'A used or unknown code: 400 invalid_authorization_code',
  'session.code-expired': 'Older than 5 minutes: 400 authorization_code_expired',
  'session.code-foreign': 'Another organization’s key: 403 code_does_not_belong_to_organization',
  'session.exit-or-error': 'Exit or failure: nothing stored, redirect with status=exit or status=error',
  'session.refusals-terminal': 'All three confirm errors are terminal',
  'user.deactivate': 'is_active: false revokes credentials; tool calls fail closed; history is kept',
  'user.delete': 'DELETE removes credentials, profile and tool-call records, irreversibly',
  'user.reactivate': 'Reactivation makes the user active; credentials stay revoked',

  // §4 endpoints
  'mint.path': 'POST {base_url}/api/registered-users/{id}/link-token with the API key',
  'mint.both-flows': 'The same endpoint serves embedded Link and Magic Link',
  'confirm.path': 'POST {base_url}/api/v1/link-token/confirm/ with { code }',
  'confirm.backend-only': 'A code is redeemable only with the API key',
  'page.no-key': 'The Magic Link page needs no API key: the signed URL is the credential',
  'page.completion': 'Without callback_url the user sees a completion page',
  'page.custom-scheme': 'Custom schemes are allowed as callback_url; the browser is redirected to the app',
  'user.patch-path': 'PATCH /registered-users/{id} { is_active }',
  'user.delete-path': 'DELETE /registered-users/{id}',
  'mcp.list-and-call': 'One MCP endpoint serves tools/list and tools/call',
  'mcp.authenticate': 'A tool without a stored credential returns authenticate_meta, not an error',
  'runtime.retry-succeeds': 'After linking, the next call to the same tool succeeds',

  // §2 and §4.4: Link in the application; §7 its symptoms
  'hosted.address': '{link_url}/ hosts Link, opened in a popup or by redirect',
  'hosted.redirect-uri':
    'On success the redirect_uri of the organization’s Link customization is requested with the result',
  'hosted.redirect-uri-listed': 'A redirect_uri whose origin is not listed receives no redirect',
  'embedded.trade': 'The component exchanges its token for the session; the exchange consumes nothing',
  'embedded.success': 'onSuccess: Connector (slug) and scopes (granted)',
  'embedded.exit': 'onExit: null on a clean exit, populated on failure',
  'embedded.code-hidden': 'A code appears in the callback and never in the session’s stream',
  'embedded.framing': 'Only the organization’s allowed origins may frame a session’s page',
  'embedded.consent': 'A form of another site cannot skip the consent page',
  'symptom.expired': 'open() does nothing: the token expired',
  'symptom.used': 'Link flashes and closes: the token was used',
  'symptom.unauthorized-origin': '"unauthorized origin": the frontend’s domain is not listed',
  'symptom.storage-delay': 'onSuccess comes after the credential is stored, so that tool calls work',
  'link.renewal': 'A new link can be requested from an expired one, at most once an hour; nothing is minted',
  'link.timeline': 'A session’s steps can be read by the organization, without secrets',

  // §5 authentication
  'key.bearer': 'Backend calls use Authorization: Bearer <API_KEY>, production or test',
  'key.regenerate': 'The old key stops working immediately on regeneration',
  'key.code-after-regenerate': 'Codes minted before confirm with the new key of the same organization',
  'origin.exact': 'Origins match exactly: scheme, host and port',
  'origin.https-or-app': 'Web origins are HTTPS, loopback by explicit entry; custom schemes for apps',
  'origin.unauthorized': 'An unlisted origin: "unauthorized origin"',
  'auth.oauth': 'End-user authentication by OAuth',
  'auth.api-key': 'End-user authentication by an API key pasted into Link',
  'auth.own-oauth-app':
    'By default the service’s own OAuth apps; an organization can register its own and add them',
  'auth.tls': 'TLS 1.2 or higher',

  // decisions on credentials
  'credential.replaced-in-place':
    'A completed re-link keeps the credential_id; a changed account is reported',
  'credential.refreshed-once':
    'Any number of callers on any number of nodes: one refresh, under a fenced lease',
  'credential.revoked-there': 'Revoked credentials are revoked at the third party by a job, with a receipt',
  'credential.bare-401':
    'A 401 alone never ends a credential; invalid_grant, a declared revocation or repeated refusals do',
  'credential.token-request':
    'Tokens are requested with what the user has entered, once at a time; only a definite answer ends the credential',
  'credential.replace-entered':
    'A user replaces a key or other entered values in place, if the provider identifies the same account',
  'credential.signed-requests': 'A key that signs requests is never sent itself',
  'credential.missing-scope':
    'Missing scopes are detected before the call and requested by a link for only those',
  'credential.keys-rotate': 'Keys are rotated online, resumably, with calls running',
  'pack.manage': 'Tool Packs are created, read, listed, replaced and deleted, with tool_pack.updated events',
  'pack.choice': 'A tool that the Tool Pack has not chosen is neither listed nor callable',
  'pack.inputs':
    'A Tool Pack overrides descriptions, fixes input values and hides inputs; the model neither sees nor sets them',
  'mcp-key.life':
    'cb_mcp_ keys are limited to one Registered User, chosen packs, an expiry and the MCP endpoint, and are revocable at once',
  'key.roll':
    'A rolled key stays valid for at most 24 hours beside its replacement, and can be ended at once',
  'key.expiry': 'An expired key fails on the next request, and its streams are closed',
  'key.groups':
    'A restricted key may use the operations of its groups, and never change keys; guarded groups are part of no other key',
  'policy.deny': 'A policy rule denies exactly the calls that its condition matches, from the next call on',
  'policy.order':
    'Among the rules that match, the strictest decides; the default applies only if none matches',
  'policy.list': 'A tool is left out of the list only if every call of it is denied',
  'policy.count':
    'A condition counts the calls of a user exactly: of a tool or an effect, within a period, without those that were not carried out',
  'policy.packs': 'The policy of a Tool Pack makes that of its organization stricter, never weaker',
  'policy.explain': 'Explain and the record of a call show that a policy decided, Explain also which rule',
  'policy.test': 'Testing a rule counts the recorded calls that it would have decided, and changes nothing',
  'policy.test-access':
    'A rule is tested with recorded arguments only for a caller who may read them, in the mode of the caller',
  'policy.keys':
    'An unrestricted key can only make a policy stricter; a test key and the management MCP server change none',
  'policy.hook':
    'The endpoint of a hook allows, asks or denies like a rule, and is not asked about a call that a rule denies',
  'policy.hook-failure':
    'A hook that gives no decision in time denies the call or asks about it, and delays no other organization',
  'policy.hook-secret': 'Requests to a hook are signed with the secret of its rule, which is shown once',
  'policy.hook-again':
    'A hook is asked again before an approved call runs, and its denial makes the approval void',
  'policy.hook-unasked': 'Explain, lists and tests of rules ask no hook, and say that it decides',
  'policy.hook-keys': 'Only a person with a recent sign-in or a key for policies adds or changes a hook',
  'policy.step-up': 'A key can turn `step_up` on, but not off, and only where members alone decide',
  'approval.once': 'A call that a policy asks about is made once, after a member has approved it',
  'approval.exact': 'Only exactly the approved call runs: whatever differs in it asks again',
  'approval.lineage':
    'What a caller waits for outlives the replacement of its API key, and is not for another key',
  'approval.preview':
    'What an argument refers to is shown before the decision and must be the same when the call is made; it is not needed to ask',
  'approval.denied': 'A denied call is not made, and the same call is not asked about again for ten minutes',
  'approval.ends': 'An approval expires without a decision and without its call, and can be withdrawn',
  'approval.void':
    'An approval is void once its account, tool, user, approver, identity provider or rules change, and says why',
  'approval.who':
    'Only members with the permission `approve` and a recent sign-in decide, and no key reads arguments',
  'approval.step-up':
    'A rule can ask for a passkey of the member, which signs this approval; any other assertion is rejected',
  'approval.receipt':
    'The approval of a member with a passkey leaves a receipt signed by the installation, without arguments',
  'approval.receipt-offline': 'A receipt is verified without a connection, and every changed part is found',
  'approval.limits': 'The number of calls that wait for a decision is limited for each user and each caller',
  'approval.wait': 'A call that waits runs when it is approved',
  'approval.elicitation':
    'A client that opens URLs is asked to open the page of an approval, and its answer decides nothing',
  'approval.task':
    'A call that waits for an approval becomes a task of a client that takes tasks, and runs once without a connection',
  'approval.task-owner': 'A task exists only for its user, Tool Pack and caller',
  'approval.task-ends':
    'A task can be cancelled, expires, and its result is deleted after an hour or once it is fetched',
  'task.server':
    'A task that an MCP server makes of a call is one of its client under another ID; another process goes on with it, and the call is made once',
  'approval.account': 'An account that was linked again needs a new approval; a refreshed token does not',
  'approval.roles':
    'What a person sees of a call includes the roles that the connector file gives its arguments',
  'approval.idempotency': 'A repeat with the same idempotency key returns the answer of the approved call',
  'approval.failed': 'An approval is used up by a failed call, and ends as unknown if the process has died',
  'approval.user':
    'A user decides only after a sign-in for this decision, and only about calls that ask for this user',
  'approval.code':
    'An application confirms the decision of its signed-in user with a code that works once, for its key and this user',
  'approval.link':
    'If its policy says so, anyone with the link of an approval decides; never about a destructive call, and nothing is remembered',
  'approval.page': 'A person opens every folded value and sees hidden characters before approving a call',
  'approval.previous':
    'A person sees whether the same call was carried out before, and what differs from the last one, if they could decide about that one',
  'approval.self':
    'If a rule says so, a member with the email address of the user cannot approve; a key can turn that on, but not off',
  'approval.remember':
    'A call that its user wants to be remembered runs without asking again, within limits; whatever differs asks again',
  'approval.connections':
    'My connections shows approvals without arguments, denies and revokes, and approves nothing',
  'approval.several': 'Each rule that asks must be satisfied by one of its approvers; one denial is enough',
  'approval.owner': 'The owner of a shared account decides about calls that other users make with it',
  'approval.explain': 'Explain says that a call would wait for an approval, and asks nobody',
  'audit.every-change':
    'Every change is in the audit log with actor and source before its response; users by ID only',
  'audit.chain': 'The audit log is a hash chain without gaps, and a command detects every kind of tampering',
  'tools.pinned':
    'Tools of custom connectors are pinned; a change waits for acceptance, or is accepted automatically',

  // §7 errors, §8 limits, §9 versioning
  'error.shape': 'Errors carry type, code, message, request_id, documentation_url',
  'rules.block':
    'Outbound block: the call returns no result, and the agent receives an error saying a security rule fired',
  'rules.redact': 'Outbound redact: the model receives [REDACTED:<ENTITY>] in place of the value',
  'limit.token-lifetime': 'Link token lifetime: 30 minutes, single-use',
  'limit.code-lifetime': 'Authorization code lifetime: 5 minutes, single-use',
  'limit.counting':
    'A successful tools/call counts once; failures, blocked calls, lists, authenticate_meta and test keys do not',
  'limit.plan':
    'Tool execution returns billing_limit_reached until the next cycle; everything else remains available',
  'limit.rate': 'Per-user rate limits on Business and Enterprise, configured per Registered User',
  'limit.no-caching': 'Tool results are not cached',
  'record.retention':
    'Tool-call records are kept for 90 days on standard plans, longer on Business and Enterprise',
  'record.capture':
    'Arguments and results are stored only if the organization enables capture, and are sealed',
  'record.headers':
    'The caller’s X-* headers are on the record within a cap, and can be filtered by; never a secret',
  'version.prefixes': 'Every API route is available under /api/v1 and /api, with or without a trailing slash',

  // §6 events
  'events.webhooks': 'Events are forwarded to the organization’s own systems by webhooks',
} as const

export type RequirementId = keyof typeof requirements
