import { ResultFields, ResultFieldsQuery, ViewToTry, ViewTried } from '@carabiner/contract'
import { Type } from 'typebox'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { proposeView } from './propose-view.ts'
import { tryView } from './try-view.ts'

const tags = ['Tool calls']

type Deps = { db: Database; lists: ReadDatabase; vault: Vault; log: Log }

export const viewRoutes = (api: Api, deps: Deps): void => {
  api.get(
    '/tool-calls/result-fields',
    {
      config: { errors: ['invalid_request'] },
      schema: {
        summary: 'List the fields in recorded results of a tool, largest first',
        description:
          'Reads up to 50 results of the last 30 days, for choosing the view of a tool. Needs stored results (`capture` of the organization). Returns names of fields and no values.',
        tags,
        querystring: ResultFieldsQuery,
        response: { 200: ResultFields },
      },
    },
    async request => proposeView(deps, request.principal, request.query.tool),
  )

  api.post(
    '/tool-calls/:tool_call_id/view',
    {
      config: {
        skipsWakeUp: true,
        permission: 'read',
        idempotency: false,
        errors: ['tool_call_not_found', 'invalid_tool_choice', 'duplicate_choice'],
        audit: false,
      },
      schema: {
        summary: 'Try a view on the recorded result of a call',
        description: 'Applies the fields as a Tool Pack would, and compares the sizes. Changes nothing.',
        tags,
        params: Type.Object({ tool_call_id: Type.String() }),
        body: ViewToTry,
        response: { 200: ViewTried },
      },
    },
    async request => tryView(deps, request.principal, request.params.tool_call_id, request.body.view),
  )
}
