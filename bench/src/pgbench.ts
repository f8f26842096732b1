import { execFile } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Cluster } from '../../scripts/postgres-cluster.ts'
import { type Figures, percentile } from './figures.ts'

const THREADS = 2
/** Logging every latency would slow pgbench down. */
const SAMPLING_RATE = 0.1
const GRACE_MS = 30_000

type PgbenchOptions = {
  cluster: Cluster
  database: string
  folder: string
  script: string
  clients: number
  seconds: number
  variables?: Record<string, number>
}

/** Measures the database alone, with the same statements and a client of negligible cost. */
export const runPgbench = async (run: PgbenchOptions): Promise<Figures> => {
  const scriptFile = join(run.folder, 'script.sql')
  const logPrefix = join(run.folder, 'latencies')
  writeFileSync(scriptFile, run.script)
  const { stdout, stderr } = await promisify(execFile)(
    join(run.cluster.bin, 'pgbench'),
    [
      '--no-vacuum',
      '--protocol=prepared',
      `--file=${scriptFile}`,
      `--client=${run.clients}`,
      `--jobs=${Math.min(THREADS, run.clients)}`,
      `--time=${run.seconds}`,
      '--log',
      `--log-prefix=${logPrefix}`,
      `--sampling-rate=${SAMPLING_RATE}`,
      ...Object.entries(run.variables ?? {}).map(([name, value]) => `--define=${name}=${value}`),
      '--host=127.0.0.1',
      `--port=${run.cluster.port}`,
      '--username=postgres',
      run.database,
    ],
    { timeout: run.seconds * 1000 + GRACE_MS },
  )
  const latencies = readLatencies(logPrefix)
  return {
    perSecond: find(stdout, /tps = ([\d.]+)/) ?? fail(stdout + stderr),
    responses: find(stdout, /transactions actually processed: (\d+)/) ?? fail(stdout + stderr),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    exhausted: false,
  }
}

/** Reads and deletes the logs. A line contains: client, transaction, microseconds, … */
const readLatencies = (prefix: string): Float64Array => {
  const files = globSync(`${prefix}.*`)
  const lines = files.flatMap(file => readFileSync(file, 'utf8').trim().split('\n'))
  for (const file of files) rmSync(file)
  return Float64Array.from(lines.filter(Boolean), line => Number(line.split(' ')[2]) / 1000).toSorted()
}

const find = (output: string, pattern: RegExp): number | null => {
  const value = Number(pattern.exec(output)?.[1])
  return Number.isNaN(value) ? null : value
}

const fail = (output: string): never => {
  throw new Error(`the output of pgbench contains no rate:\n${output}`)
}
