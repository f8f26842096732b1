import { newUuid } from '../../core/uuid.ts'
import { openSigners } from '../../platform/vault/signing-secrets.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type DeliverDeps, deliver, type ServedEndpoint } from './deliver.ts'
import { deliveryStore } from './delivery-store.ts'
import { endpointStore, type LeasedEndpoint, signedFor } from './endpoint-store.ts'

export type ServeDeps = DeliverDeps & { vault: Vault }

/** Requests to one endpoint at a time. After a failure, one. */
const CONCURRENCY = 8
const PAGE = 64
const BATCH_LIMITS = { limit: 500, bytes: 1_000_000 }

/** Delivers all due events of an endpoint, until the endpoint fails or the process stops. */
export const serveEndpoint = async (
  deps: ServeDeps,
  leaseId: string,
  leased: LeasedEndpoint,
  stopping: AbortSignal,
): Promise<void> => {
  try {
    let endpoint: LeasedEndpoint | null = leased
    while (endpoint && !stopping.aborted) {
      const signers = await openSigners(deps.vault, signedFor(endpoint), endpoint)
      const served = { endpoint, signers, isSuccessRecorded: false }
      const sent = await (endpoint.format === 'batch'
        ? sendBatch(deps, served)
        : sendPage(deps, served, stopping))
      if (sent === 0) break
      // Also finds out about failures, new settings, and whether the organization is still served here.
      endpoint = await endpointStore.renewLease(deps.db, endpoint, leaseId, deps.timing.leaseMs)
    }
  } finally {
    await endpointStore.releaseLease(deps.db, leased, leaseId)
  }
}

const sendBatch = async (deps: ServeDeps, served: ServedEndpoint): Promise<number> => {
  const [first, ...others] = await deliveryStore.dueBatch(deps.db, served.endpoint, {
    newBatchId: newUuid(),
    ...BATCH_LIMITS,
  })
  if (!first) return 0
  const { saved } = await deliver(deps, served, { readAt: performance.now(), deliveries: [first, ...others] })
  await saved
  return 1 + others.length
}

/**
 * Sends a page of deliveries, several at a time. The first failure ends it, because the endpoint may be down. The next delivery does not wait until
 * the previous one is saved, so that one statement saves several.
 */
const sendPage = async (deps: ServeDeps, served: ServedEndpoint, stopping: AbortSignal): Promise<number> => {
  const due = await deliveryStore.due(deps.db, served.endpoint, PAGE)
  const queue = due.values()
  const readAt = performance.now()
  let sent = 0
  let failed = false
  const saves: Promise<void>[] = []
  const sendNext = async (): Promise<void> => {
    for (const delivery of queue) {
      sent++
      const { outcome, saved } = await deliver(deps, served, { readAt, deliveries: [delivery] })
      // A rejection is thrown at the end of the page.
      saved.catch(() => undefined)
      saves.push(saved)
      if (outcome !== 'delivered') failed = true
      if (failed || stopping.aborted || performance.now() - readAt > deps.timing.pageMs) return
    }
  }
  const concurrency = served.endpoint.failures > 0 ? 1 : CONCURRENCY
  await Promise.all(Array.from({ length: Math.min(concurrency, due.length) }, sendNext))
  await Promise.all(saves)
  return sent
}
