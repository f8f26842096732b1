import { operations } from '@carabiner/contract/operations'
import { parsePage } from '../../../core/cursor.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { listCallbackOrigins } from '../../organizations/list-callback-origins.ts'
import type { ConfirmCode } from './confirm-code.ts'
import { type MintLinkToken, parseLinkTokenRequest } from './mint-link-token.ts'
import { listSessions, readTimeline } from './read-timeline.ts'
import { testCallbackUrl } from './test-callback-url.ts'

type Deps = { db: Database; lists: ReadDatabase; mintLinkToken: MintLinkToken; confirmCode: ConfirmCode }

export const linkRoutes = (api: Api, { db, lists, mintLinkToken, confirmCode }: Deps): void => {
  serve(
    api,
    operations.testCallbackUrl,
    async request =>
      testCallbackUrl(request.body.url, await listCallbackOrigins(db, request.principal.organizationId)),
    { skipsWakeUp: true },
  )

  serve(
    api,
    operations.createLinkToken,
    async request =>
      await mintLinkToken(request.principal, request.params.id, parseLinkTokenRequest(request.body)),
    { skipsWakeUp: true },
  )

  serve(
    api,
    operations.confirmLinkCode,
    request => confirmCode(request.principal, request.body.code, request.body.registered_user_id ?? null),
    { skipsWakeUp: true, unstorable: { code: 'invalid_authorization_code' } },
  )

  serve(api, operations.listLinkSessions, request =>
    listSessions({ db, lists }, request.principal, request.params.id, parsePage(request.query)),
  )

  serve(api, operations.getLinkSession, request => readTimeline(db, request.principal, request.params.id))
}
