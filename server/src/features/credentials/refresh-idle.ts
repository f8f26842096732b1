import type { Log } from '../../platform/log.ts'
import { credentialStore, type IdleCredential } from './credential-store.ts'
import { type RefreshDeps, refreshCredential } from './refresh-credential.ts'

const BATCH = 20

/**
 * Providers expire unused refresh tokens, some within a week. Credentials that were idle for days are refreshed here, so
 * that they stay linked. Failures are retried the next day.
 */
export const refreshIdle = async (deps: RefreshDeps & { log: Log }): Promise<void> => {
  for (;;) {
    const credentials = await credentialStore.takeIdle(deps.db, BATCH)
    await Promise.all(credentials.map(credential => refreshOne(deps, credential)))
    if (credentials.length < BATCH) return
  }
}

const refreshOne = async (deps: RefreshDeps & { log: Log }, credential: IdleCredential): Promise<void> => {
  const held = {
    organizationId: credential.organizationId,
    registeredUserId: credential.registeredUserId,
    connectorSlug: credential.connectorSlug,
    credential,
  }
  await refreshCredential(deps, held).catch((error: unknown) =>
    deps.log.warn({ error, connector: credential.connectorSlug }, 'failed to refresh an idle credential'),
  )
}
