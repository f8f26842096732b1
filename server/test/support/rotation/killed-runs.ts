import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RotationStage } from './stage.ts'

const CLI = join(import.meta.dirname, '../../../../packages/carabiner/bin/carabiner.mjs')

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

const usersDone = async (stage: RotationStage): Promise<number> => {
  const [row] = await stage.query<{ users_done: number }>(
    'select users_done from key_rotations where finished_at is null',
  )
  return row?.users_done ?? 0
}

/** Runs the operator's command, kills it after the given numbers of users, and restarts it. The last run completes. */
export const runAndKill = async (stage: RotationStage, killAt: number[]): Promise<Run[]> => {
  const runs: Run[] = []
  for (const target of killAt.toSorted((a, b) => a - b)) {
    const { child, ended } = start(stage)
    while (child.exitCode === null && (await usersDone(stage)) < target) await delay(2)
    child.kill('SIGKILL')
    const run = await ended
    runs.push({ ...run, killedAt: run.code === null ? await usersDone(stage) : null })
  }
  runs.push(await start(stage).ended)
  return runs
}

export const resultOf = ({ output, code }: Run): RunResult => {
  if (code !== 0) throw new Error(`vault-key rotate ended with ${code}: ${output}`)
  return JSON.parse(output.trim().split('\n').at(-1) as string) as RunResult
}
