import { UNUSED_SCOPE_DAYS } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { readGrantedScopes } from '../../credentials/accounts/granted-scopes.ts'
import { readUsedTools } from '../../metering/limits/used-tools.ts'
import { findUnusedScopes } from './find-unused-scopes.ts'

type Deps = { db: Database; connectors: Connectors }

export const unusedScopeRoutes = (api: Api, { db, connectors }: Deps): void =>
  serve(api, operations.listUnusedScopes, async ({ principal: { organizationId, mode } }) => {
    const owner = { organizationId, mode }
    const [granted, used] = await Promise.all([
      readGrantedScopes(db, owner, UNUSED_SCOPE_DAYS),
      readUsedTools(db, owner, UNUSED_SCOPE_DAYS),
    ])
    return { data: findUnusedScopes(granted, used, slug => connectors.findShipped(slug)) }
  })
