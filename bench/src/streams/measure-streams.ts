import { setTimeout as delay } from 'node:timers/promises'
import { Secret } from '../../../server/src/core/secret.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres/postgres.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { openGateway } from '../mcp/gateway.ts'
import { openUpstream } from '../mcp/mcp-stage.ts'
import { residentMegabytes } from '../measure-starts.ts'
import { openStreams } from './open-streams.ts'

export type StreamMemory = { idleMegabytes: number; openMegabytes: number; kilobytesEach: number }

/** The service allows 50 streams per user. */
const STREAMS_PER_USER = 40
/** The first streams of a process allocate memory that later streams reuse. */
const WARM_UP_STREAMS = 50

/** Measures the memory of the service with open streams, after it has checked the authorization of each at least once. */
export const measureStreams = async (
  count: number,
  settleMs: number,
  databaseUrl?: string,
): Promise<StreamMemory> => {
  await using opened = new AsyncDisposableStack()
  const url = databaseUrl ?? (await startDurableCluster(opened)).url
  const upstream = await openUpstream(opened)
  const db = await openPostgres({ url: new Secret(url), poolSize: 1, onIdleError: () => undefined })
  opened.defer(() => db.close())
  const users = Math.ceil(count / STREAMS_PER_USER) + 1
  const gateway = await openGateway(opened, { databaseUrl: url, db, upstream, users })
  const { pid } = gateway.service

  const warmUp = await openStreams(gateway, WARM_UP_STREAMS)
  await delay(settleMs)
  warmUp.close()
  await delay(settleMs)
  const idleMegabytes = residentMegabytes(pid)
  const streams = await openStreams(gateway, count)
  await delay(settleMs)
  const openMegabytes = residentMegabytes(pid)
  streams.close()
  return { idleMegabytes, openMegabytes, kilobytesEach: ((openMegabytes - idleMegabytes) * 1024) / count }
}
