import { setTimeout as delay } from 'node:timers/promises'
import { Secret } from '../../../server/src/core/secret.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { openGateway } from '../mcp/gateway.ts'
import { openUpstream } from '../mcp/mcp-stage.ts'
import { residentMegabytes } from '../start-and-rest.ts'
import { openStreams } from './open-streams.ts'

export type StreamMemory = { restMegabytes: number; openMegabytes: number; kilobytesEach: number }

/** A user may have 50 of them. */
const STREAMS_OF_ONE = 40
/** The first ones of a process make room that the later ones use. */
const FIRST = 50

/** What a service holds in memory while so many streams are open, after it has looked over all of them at least once. */
export const measureStreams = async (
  count: number,
  restMs: number,
  databaseUrl?: string,
): Promise<StreamMemory> => {
  await using opened = new AsyncDisposableStack()
  const url = databaseUrl ?? (await startDurableCluster(opened)).url
  const upstream = await openUpstream(opened)
  const db = await openPostgres({ url: new Secret(url), poolSize: 1, onIdleError: () => undefined })
  opened.defer(() => db.close())
  const users = Math.ceil(count / STREAMS_OF_ONE) + 1
  const gateway = await openGateway(opened, { databaseUrl: url, db, upstream, users })
  const { pid } = gateway.service

  const first = await openStreams(gateway, FIRST)
  await delay(restMs)
  first.close()
  await delay(restMs)
  const restMegabytes = residentMegabytes(pid)
  const streams = await openStreams(gateway, count)
  await delay(restMs)
  const openMegabytes = residentMegabytes(pid)
  streams.close()
  return { restMegabytes, openMegabytes, kilobytesEach: ((openMegabytes - restMegabytes) * 1024) / count }
}
