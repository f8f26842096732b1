import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../../src/platform/database/database.ts'
import { runSql } from '../run-sql.ts'
import type { RotationStage } from './stage.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const CLI = join(import.meta.dirname, '../../../../apps/carabiner/bin/carabiner.mjs')

export type Run = { output: string; code: number | null; killedAt: number | null; milliseconds: number }
export type RunResult = { resumed: boolean; users: number; secrets: number; dropped_vault_keys: number }

const start = (stage: RotationStage): { child: ChildProcess; ended: Promise<Run> } => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [CLI, 'vault-key', 'rotate', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: stage.fleet.database.url,
      KEY_FILE: stage.fleet.keyFile,
    },
  })
  let output = ''
  child.stdout?.on('data', chunk => (output += String(chunk)))
  child.stderr?.on('data', chunk => (output += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({
    output,
    code: code as number | null,
    killedAt: null,
    milliseconds: performance.now() - startedAt,
  }))
  return { child, ended }
}

const usersDone = async (db: Queryable): Promise<number> => {
  const [row] = await runSql<{ users_done: number }>(
    db,
    'select users_done from key_rotations where finished_at is null',
  )
  return row?.users_done ?? 0
}

const LOCK = 4711
const isStepWaiting = async (db: Queryable): Promise<boolean> =>
  (await runSql(db, `select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`))
    .length > 0

/** Steps after the given number of users wait for the lock, so that a run can be killed in one of them, however fast it is. */
const stopSteps = async (stage: RotationStage, afterUsers: number): Promise<void> => {
  await stage.query(`create or replace function stop_step() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$`)
  await stage.query(`create or replace trigger stop_step before update on key_rotations
    for each row when (old.users_done >= ${afterUsers}) execute function stop_step()`)
}

/** Runs the operator's command, kills it after the given numbers of users, and restarts it. The last run completes. */
export const runAndKill = async (stage: RotationStage, killAt: number[]): Promise<Run[]> => {
  const runs: Run[] = []
  for (const target of killAt.toSorted((a, b) => a - b)) {
    await stopSteps(stage, target)
    await stage.db.transaction(async tx => {
      await runSql(tx, `select pg_advisory_xact_lock(${LOCK})`)
      const { child, ended } = start(stage)
      while (child.exitCode === null && !(await isStepWaiting(tx))) await delay(10)
      child.kill('SIGKILL')
      const run = await ended
      runs.push({ ...run, killedAt: run.code === null ? await usersDone(tx) : null })
    })
  }
  await stage.query('drop trigger if exists stop_step on key_rotations')
  runs.push(await start(stage).ended)
  return runs
}

/** The same while every operation of a credential is made continuously. */
export const rotateUnderTraffic = async (
  stage: RotationStage,
  killAt: number[],
): Promise<{ runs: Run[]; traffic: Traffic }> => {
  const traffic = await startTraffic(stage)
  try {
    return { runs: await runAndKill(stage, killAt), traffic }
  } finally {
    await traffic.stop()
  }
}

export const resultOf = ({ output, code }: Run): RunResult => {
  if (code !== 0) throw new Error(`vault-key rotate ended with ${code}: ${output}`)
  return JSON.parse(output.trim().split('\n').at(-1) as string) as RunResult
}
