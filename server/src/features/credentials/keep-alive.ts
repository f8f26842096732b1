import type { Log } from '../../platform/log.ts'
import { credentialStore, type RestingRow } from './credential-store.ts'
import { type RefreshDeps, refreshCredential } from './refresh-credential.ts'

const BATCH = 20

/**
 * Third parties let a refresh token die that nobody uses: some within a week. What has rested for days is refreshed here, so
 * that a user who comes back after a holiday is still linked. A failure leaves it for the next day.
 */
export const refreshResting = async (deps: RefreshDeps & { log: Log }): Promise<void> => {
  for (;;) {
    const rows = await credentialStore.takeResting(deps.db, BATCH)
    await Promise.all(rows.map(row => refreshOne(deps, row)))
    if (rows.length < BATCH) return
  }
}

const refreshOne = async (deps: RefreshDeps & { log: Log }, row: RestingRow): Promise<void> => {
  const held = {
    organizationId: row.organization_id,
    registeredUserId: row.registered_user_id,
    connectorSlug: row.connector_slug,
    row,
  }
  await refreshCredential(deps, held).catch((error: unknown) =>
    deps.log.warn({ error, connector: row.connector_slug }, 'a resting credential was not refreshed'),
  )
}
