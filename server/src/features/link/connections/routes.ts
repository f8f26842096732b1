import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { findLink } from './find-link.ts'
import { mintConnectionsLink } from './mint-connections-link.ts'

type Deps = { db: Database; signer: Signer; linkUrl: string }

export const connectionsLinkRoutes = (api: Api, deps: Deps): void => {
  serve(
    api,
    operations.createConnectionsLink,
    async request => await mintConnectionsLink(deps, request.principal, request.params.id),
    { skipsWakeUp: true },
  )

  serve(api, operations.findLink, request => findLink(deps, request.principal, request.body.url), {
    skipsWakeUp: true,
  })
}
