import type { Log } from '../../platform/log.ts'
import { credentialStore, type IdleCredentialRow } from './credential-store.ts'
import { type RefreshDeps, refreshCredential } from './refresh-credential.ts'

const BATCH = 20

/**
 * Providers expire unused refresh tokens, some within a week. Credentials that were idle for days are refreshed here, so
 * that they stay linked. Failures are retried the next day.
 */
export const refreshIdle = async (deps: RefreshDeps & { log: Log }): Promise<void> => {
  for (;;) {
    const rows = await credentialStore.takeIdle(deps.db, BATCH)
    await Promise.all(rows.map(row => refreshOne(deps, row)))
    if (rows.length < BATCH) return
  }
}

const refreshOne = async (deps: RefreshDeps & { log: Log }, row: IdleCredentialRow): Promise<void> => {
  const held = {
    organizationId: row.organization_id,
    registeredUserId: row.registered_user_id,
    connectorSlug: row.connector_slug,
    row,
  }
  await refreshCredential(deps, held).catch((error: unknown) =>
    deps.log.warn({ error, connector: row.connector_slug }, 'failed to refresh an idle credential'),
  )
}
