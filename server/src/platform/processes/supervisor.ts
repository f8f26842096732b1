import { MINUTE, SECOND } from '../../core/duration.ts'
import type { Log } from '../log.ts'
import type { Child, Exit } from './child.ts'

const MAX_RESTART_DELAY_MS = 30 * SECOND
/** A process that has served for so long is restarted at once if it ends. */
const STABLE_MS = MINUTE
/** Longer than a process takes to abort a stop that hangs. */
const STOP_TIMEOUT_MS = 32 * SECOND

/** At once, then after 1 s, 2 s, 4 s, … */
export const restartDelay = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min(2 ** (restarts - 1) * SECOND, MAX_RESTART_DELAY_MS)

export type Supervisor = {
  /** Resolves when all processes are ready. */
  start(): Promise<void>
  /** Drains all processes. Resolves to the exit code of the service. */
  stop(): Promise<number>
  /** Ends all processes without draining them. */
  kill(): void
}

type Options = {
  processes: number
  /** Whether one of the processes runs the jobs. */
  withJobs: boolean
  fork: () => Child
  log: Log
  /** Called if a process ends before all were ready, or if a restarted one exits without a signal before it is ready while no other one runs. */
  onFailure: (exitCode: number) => void
  /** Called before a step that may take a while. */
  onStep: (step: string) => void
  /** Called with the first process when all processes are ready. */
  onReady: (first: Child) => void
}

type Member = {
  child: Child
  isReady: boolean
  /** Restarts since a process in this place was last stable. */
  restarts: number
  stable?: NodeJS.Timeout
}

/**
 * Keeps a number of processes running. One of them may run the jobs; if it ends, another one takes over. The first
 * process starts alone, because it prepares the database for the others.
 */
export const createSupervisor = ({
  processes,
  withJobs,
  fork,
  log,
  onFailure,
  onStep,
  onReady,
}: Options): Supervisor => {
  const members = new Set<Member>()
  const pendingRestarts = new Set<NodeJS.Timeout>()
  const stopped = Promise.withResolvers<void>()
  let state: 'starting' | 'serving' | 'stopping' = 'starting'
  let jobRunner: Member | null = null
  let exitCode = 0

  const assignJobs = (): void => {
    if (!withJobs || jobRunner || state === 'stopping') return
    jobRunner = [...members].find(({ isReady }) => isReady) ?? null
    jobRunner?.child.send({ order: 'run-jobs' })
  }

  const add = (restarts = 0): Promise<Member> => {
    const { promise, resolve } = Promise.withResolvers<Member>()
    const member: Member = { child: fork(), isReady: false, restarts }
    members.add(member)
    member.child.onReady(() => {
      member.isReady = true
      member.stable = setTimeout(() => {
        member.restarts = 0
      }, STABLE_MS).unref()
      if (restarts > 0) log.info({ process: member.child.pid }, 'a process was restarted')
      assignJobs()
      resolve(member)
    })
    member.child.onExit(exit => remove(member, exit))
    return promise
  }

  const remove = (member: Member, exit: Exit): void => {
    members.delete(member)
    clearTimeout(member.stable)
    if (jobRunner === member) jobRunner = null
    if (state === 'stopping') {
      // A process that has not started yet has nothing to drain and does not handle the signal.
      if (exit.code !== 0 && (member.isReady || exit.signal !== 'SIGTERM')) exitCode ||= 1
      if (members.size === 0) stopped.resolve()
      return
    }
    const facts = { process: member.child.pid, exit_code: exit.code, signal: exit.signal }
    // A signal, such as of the system when it is out of memory, says nothing about the settings.
    const cannotStart = !member.isReady && members.size === 0 && exit.signal === null
    if (state === 'starting' || cannotStart) {
      log.error(facts, 'the service cannot start')
      exitCode = exit.code || 1
      void stop().then(onFailure)
      return
    }
    const delayMs = restartDelay(member.restarts)
    log[exit.code === 0 ? 'info' : 'error'](
      { ...facts, restart_in_ms: delayMs },
      'a process ended; it will be restarted',
    )
    assignJobs()
    restartAfter(delayMs, member.restarts + 1)
  }

  const restartAfter = (delayMs: number, restarts: number): void => {
    const timer = setTimeout(() => {
      pendingRestarts.delete(timer)
      void add(restarts)
    }, delayMs)
    pendingRestarts.add(timer)
  }

  const killAll = (signal: NodeJS.Signals): void => {
    for (const { child } of members) child.kill(signal)
  }

  const stop = async (): Promise<number> => {
    state = 'stopping'
    for (const timer of pendingRestarts) clearTimeout(timer)
    if (members.size === 0) stopped.resolve()
    killAll('SIGTERM')
    const deadline = setTimeout(() => {
      log.error('a process did not stop in time and was killed')
      killAll('SIGKILL')
    }, STOP_TIMEOUT_MS)
    await stopped.promise
    clearTimeout(deadline)
    return exitCode
  }

  return {
    start: async () => {
      const first = await add()
      if (state === 'stopping') return
      onStep(`Starting ${processes - 1} more ${processes === 2 ? 'process' : 'processes'}`)
      await Promise.all(Array.from({ length: processes - 1 }, () => add()))
      state = 'serving'
      onReady(first.child)
    },
    stop,
    kill: () => killAll('SIGKILL'),
  }
}
