import type { Log } from '../../../platform/log.ts'
import { decryptCredential, isRefreshable, refreshCredential } from '../refresh-credential.ts'
import { type InvestigationDeps, identityAnswer, requestIdentity, settle } from './investigate-refusal.ts'
import { refusalStore } from './refusal-store.ts'

const BATCH = 20

type Taken = Awaited<ReturnType<typeof refusalStore.takeDue>>[number]

/** Checks refused credentials again, so that they recover, or end, without another call. */
export const recheckRefused = async (deps: InvestigationDeps & { log: Log }): Promise<void> => {
  for (;;) {
    const taken = await refusalStore.takeDue(deps.db, BATCH)
    await Promise.all(
      taken.map(credential =>
        recheck(deps, credential).catch((error: unknown) =>
          deps.log.warn(
            { error, connector: credential.connectorSlug },
            'failed to check a refused credential again',
          ),
        ),
      ),
    )
    if (taken.length < BATCH) return
  }
}

const recheck = async (deps: InvestigationDeps, credential: Taken): Promise<void> => {
  const { organizationId, registeredUserId, connectorSlug } = credential
  const held = { organizationId, registeredUserId, connectorSlug, credential }
  const renewed = (await isRefreshable(deps, held)) ? await refreshCredential(deps, held) : null
  if (renewed?.usable === false) return
  const current = renewed
    ? { held: { ...held, credential: renewed.credential }, secret: renewed.secret }
    : { held, secret: await decryptCredential(deps, held) }
  await settle(deps, current, identityAnswer(await requestIdentity(deps, current)))
}
