import { SECOND } from '../../core/duration.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Log } from '../../platform/log.ts'
import { DEFAULT_TIMING, type DeliveryTiming } from './delivery-timing.ts'
import { endpointStore } from './endpoint-store.ts'
import { fanOutAll } from './fan-out.ts'
import { type ServeDeps, serveEndpoint } from './serve-endpoint.ts'

/** Turns events into deliveries and makes them, until it is stopped. Several processes share the work. */
export type WebhookWorker = { stop(): Promise<void> }

export type WebhookWorkerOptions = Partial<DeliveryTiming>

/** Between counts of the queue, for the metrics. */
const SAMPLE_INTERVAL_MS = 15 * SECOND
const ERROR_WAIT_MS = 5 * SECOND
/** Endpoints that this process serves at a time. An endpoint that hangs takes one place for at most an attempt. */
const MAX_ENDPOINTS = 200
/** Of one organization. Its production and test endpoints together may be twice as many. */
const MAX_ENDPOINTS_OF_ORGANIZATION = 50

type WorkerDeps = ServeDeps & { log: Log }

export const startWebhookWorker = (
  given: Omit<WorkerDeps, 'timing'>,
  options: WebhookWorkerOptions = {},
): WebhookWorker => {
  const deps = { ...given, timing: { ...DEFAULT_TIMING, ...options } }
  const stopping = new AbortController()
  const fanningOut = repeat(stopping.signal, deps.log, deps.timing.idleMs, () => fanOutAll(deps.db))
  const serving = serveEndpoints(deps, stopping.signal)
  const sampling = repeat(stopping.signal, deps.log, SAMPLE_INTERVAL_MS, async () => {
    deps.webhookMetrics.sampled(await endpointStore.sampleQueue(deps.db))
    return false
  })
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all([fanningOut, serving, sampling])
    },
  }
}

const serveEndpoints = async (deps: WorkerDeps, stopping: AbortSignal): Promise<void> => {
  const { idleMs, leaseMs } = deps.timing
  const work = new Set<Promise<void>>()
  const served = new Map<string, number>()
  const count = (organizationId: string, change: 1 | -1): void => {
    const now = (served.get(organizationId) ?? 0) + change
    if (now > 0) served.set(organizationId, now)
    else served.delete(organizationId)
  }
  await repeat(stopping, deps.log, idleMs, async () => {
    const limit = MAX_ENDPOINTS - work.size
    if (limit <= 0) return false
    const leaseId = newUuid()
    const places = { limit, share: MAX_ENDPOINTS_OF_ORGANIZATION, served }
    const leased = await endpointStore.leaseDue(deps.db, { leaseId, leaseMs }, places)
    for (const endpoint of leased) {
      count(endpoint.organizationId, 1)
      const serving = serveEndpoint(deps, leaseId, endpoint, stopping)
        .catch((error: unknown) =>
          deps.log.error(
            { error, webhook_endpoint_id: endpoint.id },
            'a webhook endpoint could not be served',
          ),
        )
        .finally(() => {
          count(endpoint.organizationId, -1)
          work.delete(serving)
        })
      work.add(serving)
    }
    return leased.length > 0
  })
  await Promise.all(work)
}

/** Calls `work` again at once while it returns true, otherwise after a while. */
const repeat = async (
  stopping: AbortSignal,
  log: Log,
  idleMs: number,
  work: () => Promise<boolean>,
): Promise<void> => {
  while (!stopping.aborted) {
    const wait = await work().then(
      hasMore => (hasMore ? 0 : idleMs),
      (error: unknown) => {
        log.warn({ error }, 'webhooks are delayed; trying again')
        return ERROR_WAIT_MS
      },
    )
    if (wait > 0) await pause(wait, stopping)
  }
}

const pause = (milliseconds: number, stopping: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    stopping.addEventListener('abort', end)
  })
