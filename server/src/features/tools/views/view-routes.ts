import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { proposeView } from './propose-view.ts'
import { tryView } from './try-view.ts'

type Deps = { db: Database; lists: ReadDatabase; vault: Vault; log: Log }

export const viewRoutes = (api: Api, deps: Deps): void => {
  serve(api, operations.listResultFields, async request =>
    proposeView(deps, request.principal, request.query.tool),
  )

  serve(
    api,
    operations.tryView,
    async request => tryView(deps, request.principal, request.params.tool_call_id, request.body.view),
    { skipsWakeUp: true },
  )
}
