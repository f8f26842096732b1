import { DEFAULT_OVERLAP_MINUTES } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyStore, type StoredApiKey } from './api-key-store.ts'
import { createKey, type IssuedKey } from './api-keys.ts'
import { endOverlap, revokeKey } from './end-api-keys.ts'
import { regenerateKey, rollKey } from './replace-api-key.ts'

export const apiKeyRoutes = (api: Api, { db }: { db: Database }): void => {
  serve(api, operations.listApiKeys, async request => ({
    data: (await apiKeyStore.list(db, request.principal.organizationId)).map(toApiKey),
  }))

  serve(api, operations.createApiKey, async request =>
    toNewApiKey(await createKey(db, request.principal, request.body)),
  )

  serve(api, operations.regenerateApiKey, async request =>
    toNewApiKey(await regenerateKey(db, request.principal, request.params.id)),
  )

  serve(api, operations.rollApiKey, async ({ principal, params, body }) => {
    const overlapMinutes = body.overlap_minutes ?? DEFAULT_OVERLAP_MINUTES
    const rolled = await rollKey(db, principal, params.id, overlapMinutes)
    return { ...toNewApiKey(rolled), previous_key_expires_at: rolled.overlapEndsAt.toISOString() }
  })

  serve(api, operations.endApiKey, ({ principal, params }) =>
    endOverlap(db, principal.organizationId, params.id),
  )

  serve(api, operations.revokeApiKey, ({ principal, params }) =>
    revokeKey(db, principal.organizationId, params.id),
  )
}

const toApiKey = (key: StoredApiKey) => ({
  id: key.id,
  mode: key.mode,
  name: key.name,
  hint: key.hint,
  groups: key.groups,
  created_at: key.createdAt.toISOString(),
  created_by: key.createdBy,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
  replaced_by: key.replacedBy,
  lineage: key.lineage,
})
const toNewApiKey = ({ stored, key }: IssuedKey) => ({ ...toApiKey(stored), key: key.reveal() })
