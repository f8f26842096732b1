import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { type Cluster, startCluster } from '../../scripts/postgres-cluster.ts'

export const DATABASE = 'bench'

/** Durable, as in production. Vacuum and checkpoints run between measurements, not during them. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  track_wal_io_timing: 'on',
}

const createDatabase = async (cluster: Cluster): Promise<string> => {
  const client = new pg.Client({ connectionString: `${cluster.url}/postgres` })
  await client.connect()
  await client.query(`create database ${DATABASE}`)
  await client.end()
  return `${cluster.url}/${DATABASE}`
}

/** The cluster's child process does not keep this process alive, so a timer does while the cluster stops. */
const stopAwake = async (cluster: Cluster): Promise<void> => {
  const awake = setInterval(() => undefined, 1000)
  await cluster.stop()
  clearInterval(awake)
}

/** Linux has a RAM disk here. */
const RAM_DISK = '/dev/shm'

export const hasRamDisk = (): boolean => existsSync(RAM_DISK)

/** `onRamDisk`: everything is as in production except the time that the disk takes. */
export const startDurableCluster = async (
  opened: AsyncDisposableStack,
  onRamDisk = false,
): Promise<{ cluster: Cluster; url: string }> => {
  const cluster = await startCluster(SETTINGS, onRamDisk ? RAM_DISK : tmpdir())
  opened.defer(() => stopAwake(cluster))
  return { cluster, url: await createDatabase(cluster) }
}
