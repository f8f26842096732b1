import cluster, { type Worker } from 'node:cluster'
import type { MetricReport } from '../metrics/metrics.ts'

/** Sent by the supervisor to one of its processes. */
export type Order =
  | { order: 'run-jobs' }
  | { order: 'announce'; startMs: number }
  | { order: 'report-metrics' }

/** Sent by a process to its supervisor when it accepts requests. */
const READY = { status: 'ready' }

/** Sent by a process when its supervisor requests it, and before the process exits. */
type MetricsMessage = { metrics: MetricReport[] }

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** A process, as seen by its supervisor. */
export type Child = {
  readonly pid: number | undefined
  send(order: Order): void
  kill(signal: NodeJS.Signals): void
  onReady(listener: () => void): void
  onMetrics(listener: (report: MetricReport[]) => void): void
  /** Called once, also if the process could not be created. */
  onExit(listener: (exit: Exit) => void): void
}

/**
 * Starts this program again. Its listening sockets belong to this process, which accepts connections and passes each
 * to the next free child, so they are spread evenly, and none is lost when a child stops.
 */
export const forkChild = (environment: Record<string, string>): Child => {
  cluster.schedulingPolicy = cluster.SCHED_RR
  try {
    return toChild(cluster.fork(environment))
  } catch {
    // The system has no memory for another process.
    return {
      pid: undefined,
      send: () => undefined,
      kill: () => undefined,
      onReady: () => undefined,
      onMetrics: () => undefined,
      onExit: listener => queueMicrotask(() => listener(NOT_CREATED)),
    }
  }
}

const NOT_CREATED: Exit = { code: 1, signal: null }

const toChild = (worker: Worker): Child => {
  const exited = Promise.withResolvers<Exit>()
  worker.once('exit', (code, signal) => exited.resolve({ code, signal: signal as NodeJS.Signals | null }))
  // Without a process there is no exit event. Other errors, such as an order for a process that has ended, are ignored.
  worker.on('error', () => {
    if (worker.process.pid === undefined) exited.resolve(NOT_CREATED)
  })
  worker.on('message', forwardToWatcher)
  closeLostConnections(worker)
  return {
    pid: worker.process.pid,
    send: order => void worker.send(order, () => undefined),
    kill: signal => void worker.process.kill(signal),
    onReady: listener =>
      void worker.on('message', (message: Partial<typeof READY>) => {
        if (message.status === READY.status) listener()
      }),
    onMetrics: listener =>
      void worker.on('message', (message: Partial<MetricsMessage>) => {
        if (message.metrics) listener(message.metrics)
      }),
    onExit: listener => void exited.promise.then(listener),
  }
}

type Closable = { close(): void }
const isClosable = (value: unknown): value is Closable =>
  typeof value === 'object' && value !== null && 'close' in value

/**
 * `node:cluster` passes one connection at a time per listening socket, and forgets it if the child ends before it has
 * accepted it. Without this, the client would wait for a response forever. Closing an accepted connection here has no
 * effect, because the child has its own handle.
 */
const closeLostConnections = (worker: Worker): void => {
  const child = worker.process
  const send = child.send.bind(child) as (...values: unknown[]) => boolean
  const lastPassed = new Map<unknown, Closable>()
  child.send = (message: { key?: unknown }, handle?: unknown, ...rest: unknown[]): boolean => {
    if (isClosable(handle)) lastPassed.set(message.key, handle)
    return send(message, handle, ...rest)
  }
  worker.once('exit', () => {
    // A child that has left in an orderly way has returned what it did not accept.
    if (worker.exitedAfterDisconnect) return
    for (const handle of lastPassed.values()) handle.close()
  })
}

/** `node --watch` learns the files to watch from messages, which a child sends to its parent only. */
const forwardToWatcher = (message: object): void => {
  if ('watch:import' in message || 'watch:require' in message) process.send?.(message)
}

/** The supervisor, as seen by one of its processes. */
export type SupervisorLink = {
  /** The first process migrates the database; the others start after it. */
  readonly isFirst: boolean
  reportReady(onOrder: (order: Order) => void): void
  reportMetrics(report: MetricReport[]): void
  /** Returns connections that the supervisor has passed since this process has stopped listening. */
  leave(): Promise<void>
}

/** Null: this process has no supervisor. A process whose supervisor has ended exits (`node:cluster`). */
export const linkToSupervisor = (): SupervisorLink | null => {
  const { worker } = cluster
  if (!worker) return null
  return {
    isFirst: worker.id === 1,
    reportReady: onOrder => {
      process.on('message', (message: Partial<Order>) => {
        if (message.order !== undefined) onOrder(message as Order)
      })
      process.send?.(READY)
    },
    reportMetrics: metrics => void process.send?.({ metrics } satisfies MetricsMessage),
    leave: () =>
      new Promise(resolve => {
        worker.once('disconnect', resolve)
        worker.disconnect()
      }),
  }
}
