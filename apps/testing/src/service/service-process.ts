import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Throwaway, ThrowawayOptions } from 'carabiner/testing'
import type { FromService, ServiceMethod, ServiceSettings, ToService } from './messages.ts'

/** This module is TypeScript in the repository and JavaScript in the package. */
const PROGRAM = fileURLToPath(new URL(`./service-program${extname(import.meta.url)}`, import.meta.url))
const STOP_TIMEOUT_MS = 40_000
const INHERITED = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot']

/** Starts the service in a child process. It ends with its parent, because the channel between them closes. */
export const startServiceProcess = async ({
  onLog,
  environment,
  cacheDirectory,
}: ThrowawayOptions): Promise<Throwaway> => {
  const settings: ServiceSettings = { environment, cacheDirectory }
  const child = fork(PROGRAM, [JSON.stringify(settings)], {
    // The settings of the parent, such as DATABASE_URL, must not reach the service.
    env: Object.fromEntries(INHERITED.map(name => [name, process.env[name]])),
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  child.stdout?.on('data', chunk => onLog(String(chunk)))
  child.stderr?.on('data', chunk => onLog(String(chunk)))
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const call = createCaller(child, onLog)
  const stop = async () => {
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    if (child.connected) child.disconnect()
    await exited
    clearTimeout(kill)
  }
  const facts = await call('start', 0).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    ...(facts as Omit<Throwaway, ServiceMethod>),
    now: async () => (await call('now', 0)) as number,
    advanceClock: async milliseconds => void (await call('advanceClock', milliseconds)),
    stop,
  }
}

type Call = (method: ServiceMethod | 'start', argument: number) => Promise<unknown>

const createCaller = (child: ChildProcess, onLog: (line: string) => void): Call => {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  child.on('message', (message: FromService) => {
    if ('log' in message) return onLog(message.log)
    const call = pending.get(message.id)
    pending.delete(message.id)
    if ('error' in message) call?.reject(new Error(message.error))
    else call?.resolve(message.result)
  })
  child.once('exit', code => {
    for (const { reject } of pending.values())
      reject(new Error(`The process of the service ended with code ${code}.`))
  })
  return (method, argument) => {
    const id = ++lastId
    const call = Promise.withResolvers<unknown>()
    pending.set(id, call)
    const message: ToService = { id, method, argument }
    child.send(message, error => error && call.reject(error))
    return call.promise
  }
}
