import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../../scripts/postgres-cluster.ts'
import { compiledCode } from '../compiled-code.ts'
import { SANDBOX_CONNECTORS, type TestService } from '../test-service.ts'

const ENTRY = join(import.meta.dirname, 'worker-process.ts')

/** A process with ROLE=worker, which delivers webhooks. */
export type Worker = { kill(): Promise<void> }

export const startWorker = async (t: TestService): Promise<Worker> => {
  const child = spawn(process.execPath, [ENTRY], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...compiledCode,
      PORT: String(await freePort()),
      DATABASE_URL: t.databaseUrl,
      KEY_FILE: t.keyFile,
      TOMBSTONE_PATH: t.tombstonePath,
      SANDBOX_URL: t.sandbox.url,
      CONNECTORS: SANDBOX_CONNECTORS,
      LOG_LEVEL: 'error',
    },
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  await ready(child)
  return {
    kill: async () => {
      const exited = once(child, 'exit')
      end()
      await exited
    },
  }
}

const ready = async (child: ChildProcess): Promise<void> => {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += String(chunk)))
  while (!output.includes('ready')) {
    if (child.exitCode !== null) throw new Error(`a worker ended: ${output}`)
    await delay(20)
  }
}
