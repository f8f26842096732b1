import { LinkSession, LinkSessions } from '../link-session.ts'
import {
  ConfirmedCredential,
  ConfirmRequest,
  ConnectionsLink,
  FoundLink,
  LinkSearch,
  LinkToken,
  LinkTokenRequest,
  Page,
} from '../resources.ts'
import { declareOperations } from './operation.ts'

/** §8: a link token is single-use and valid for 30 minutes. */
export const LINK_TOKEN_TTL_MS = 30 * 60 * 1000

/** Also of the link tokens of the organization's own accounts. */
export const mintErrors = [
  'registered_user_not_found',
  'credential_not_found',
  'user_inactive',
  'conflicting_connector',
  'unknown_connector',
  'connector_not_configured',
  'connector_not_in_tool_pack',
  'tool_pack_not_found',
  'unknown_tool',
  'unknown_scope',
  'tool_not_in_tool_pack',
  'invalid_callback_url',
  'unauthorized_origin',
  'reserved_callback_parameter',
  'state_without_callback_url',
  'code_mode_required',
] as const

export const linkingOperations = declareOperations('Linking', {
  getLinkSession: {
    route: 'GET /link-sessions/{id}',
    client: 'linkSessions.get',
    summary: 'Retrieve a Link session',
    description: 'Includes the timeline of the session. Events refer to it as `link_session_id`.',
    responses: { 200: LinkSession },
    errors: ['link_session_not_found'],
    tool: { name: 'get_link_session', access: 'read' },
  },
  confirmLinkCode: {
    route: 'POST /link-token/confirm',
    group: 'users',
    client: 'linkTokens.confirm',
    summary: 'Confirm an authorization code',
    description:
      'Stores the credential and consumes the code. Set `registered_user_id` to the user who is signed in to your application, so that a code of another user is rejected. Errors are final: mint a new link token.',
    body: ConfirmRequest,
    responses: { 200: ConfirmedCredential },
    registeredUser: 'response.registered_user_id',
    errors: [
      'invalid_authorization_code',
      'authorization_code_expired',
      'code_does_not_belong_to_organization',
      'user_inactive',
      'registered_user_mismatch',
    ],
    audit: false,
  },
  findLink: {
    route: 'POST /links/find',
    group: 'read',
    client: { method: 'linkSessions.find', argument: 'url' },
    summary: 'Find a link',
    description:
      'Finds the user of a link, for support: takes a magic link, a link token, or the address of a page of Link or My connections. Nothing is opened, consumed or stored.',
    body: LinkSearch,
    responses: { 200: FoundLink },
    errors: ['link_not_found'],
    permission: 'read',
    audit: false,
    idempotency: false,
  },
  createConnectionsLink: {
    route: 'POST /registered-users/{id}/connections-link',
    group: 'users',
    client: 'registeredUsers.connectionsLink',
    summary: 'Create a My connections link',
    description:
      'On this page the user sees, pauses, reconnects and disconnects their own accounts. The link works for 30 minutes, in one browser.',
    responses: { 201: ConnectionsLink },
    errors: ['registered_user_not_found', 'user_inactive'],
    audit: false,
    idempotency: LINK_TOKEN_TTL_MS,
  },
  listLinkSessions: {
    route: 'GET /registered-users/{id}/link-sessions',
    client: 'linkSessions.list',
    summary: 'List Link sessions',
    description: 'Newest first, each with its timeline. Sessions are kept for 30 days after they expire.',
    query: Page.Query,
    responses: { 200: LinkSessions },
    errors: ['registered_user_not_found', 'invalid_cursor'],
    tool: { name: 'list_link_sessions', access: 'read' },
  },
  createLinkToken: {
    route: 'POST /registered-users/{id}/link-token',
    group: 'users',
    client: 'linkTokens.mint',
    summary: 'Create a link token',
    description:
      'Returns a link token and a magic link for one Link session: single-use, valid for 30 minutes. With both `callback_url` and `state`, authorization code mode applies.',
    body: LinkTokenRequest,
    responses: { 201: LinkToken },
    errors: mintErrors,
    audit: false,
    idempotency: LINK_TOKEN_TTL_MS,
    tool: {
      name: 'create_link',
      access: 'write',
      hiddenArguments: ['Connector', 'connector_slug'],
      hiddenFields: ['link_token'],
    },
  },
})
