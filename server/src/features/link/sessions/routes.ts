import {
  CallbackUrlTest,
  CallbackUrlTested,
  ConfirmedCredential,
  ConfirmRequest,
  LinkSession,
  LinkSessions,
  LinkToken,
  LinkTokenRequest,
  Page,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage } from '../../../core/cursor.ts'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { listCallbackOrigins } from '../../organizations/list-callback-origins.ts'
import type { ConfirmCode } from './confirm-code.ts'
import { LINK_TOKEN_TTL_MS } from './link-session.ts'
import { type MintLinkToken, parseLinkTokenRequest } from './mint-link-token.ts'
import { listSessions, readTimeline } from './read-timeline.ts'
import { testCallbackUrl } from './test-callback-url.ts'

const tags = ['Linking']
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
type Deps = { db: Database; lists: ReadDatabase; mintLinkToken: MintLinkToken; confirmCode: ConfirmCode }
const UserPath = Type.Object({ id: Type.String() })

export const linkRoutes = (api: Api, { db, lists, mintLinkToken, confirmCode }: Deps): void => {
  api.post(
    '/callback-origins/test',
    {
      config: {
        productionKeyOnly: true,
        permission: 'read',
        skipsWakeUp: true,
        idempotency: false,
        audit: false,
      },
      schema: {
        summary: 'Test a callback URL',
        description: 'Applies the checks of minting a link token to the URL. Nothing is stored or requested.',
        tags: ['Organization'],
        body: CallbackUrlTest,
        response: { 200: CallbackUrlTested },
      },
    },
    async request =>
      testCallbackUrl(request.body.url, await listCallbackOrigins(db, request.principal.organizationId)),
  )

  api.post(
    '/registered-users/:id/link-token',
    {
      config: {
        skipsWakeUp: true,
        idempotency: LINK_TOKEN_TTL_MS,
        audit: false,
        errors: [...mintErrors],
      },
      schema: {
        summary: 'Mint a link token and a magic link',
        description:
          'One token per Link session: single-use, 30 minutes. With both `callback_url` and `state`, authorization code mode applies.',
        tags,
        params: UserPath,
        body: LinkTokenRequest,
        response: { 201: LinkToken },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await mintLinkToken(request.principal, request.params.id, parseLinkTokenRequest(request.body))),
  )

  api.post(
    '/link-token/confirm',
    {
      config: {
        skipsWakeUp: true,
        unstorable: { code: 'invalid_authorization_code' },
        audit: false,
        errors: [
          'invalid_authorization_code',
          'authorization_code_expired',
          'code_does_not_belong_to_organization',
          'user_inactive',
          'registered_user_mismatch',
        ],
      },
      schema: {
        summary: 'Redeem an authorization code',
        description: 'Stores the credential and consumes the code. Errors are final: mint a new link token.',
        tags,
        body: ConfirmRequest,
        response: { 200: ConfirmedCredential },
      },
    },
    request => confirmCode(request.principal, request.body.code, request.body.registered_user_id ?? null),
  )

  api.get(
    '/registered-users/:id/link-sessions',
    {
      config: { errors: ['registered_user_not_found', 'invalid_cursor'] },
      schema: {
        summary: 'List the Link sessions of a Registered User, newest first',
        description:
          'Includes the timeline of each session. Sessions are kept for 30 days after they expire.',
        tags,
        params: UserPath,
        querystring: Page.Query,
        response: { 200: LinkSessions },
      },
    },
    request => listSessions({ db, lists }, request.principal, request.params.id, parsePage(request.query)),
  )

  api.get(
    '/link-sessions/:id',
    {
      config: { errors: ['link_session_not_found'] },
      schema: {
        summary: 'Retrieve a Link session',
        description: 'Includes the timeline of the session. Events refer to it as `link_session_id`.',
        tags,
        params: UserPath,
        response: { 200: LinkSession },
      },
    },
    request => readTimeline(db, request.principal, request.params.id),
  )
}
