import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'

/** Measurements of a page that is used for a while. */
export type PageHealth = {
  /** Durations of the tasks that blocked the page for 50 ms or more, by the clock. Empty if the page had none. */
  longTasksMs: number[]
  /** Tasks that used the processor for 50 ms or more: other programs of the machine do not extend them. */
  busyTasksMs: number[]
  /** Processor time of the task that used most of it. */
  maxTaskCpuMs: number
  /** Elements in the document, by sample. */
  nodes: number[]
  /** Live heap in bytes after a forced garbage collection, by sample. */
  heap: number[]
  /** Bytes of the heap that are code of the JavaScript compilers, at the start and at the end. */
  code: { first: number; last: number }
}

export type Watch = {
  /** Counts the elements. */
  countNodes(): Promise<void>
  /** Forces a garbage collection and measures what is left. */
  measureHeap(): Promise<void>
  end(): Promise<PageHealth>
}

type LongTask = { start: number; duration: number }

const OBSERVE = `(() => {
  window.longTasks = []
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) window.longTasks.push({ start: startTime, duration })
  }).observe({ type: 'longtask' })
})()`

type TraceEvent = {
  name: string
  pid: number
  tid: number
  ts: number
  tdur?: number
  args?: { name?: string }
}
const TASK = 'ThreadControllerImpl::RunTask'
const LONG_TASK_MS = 50
const SETTLE_MS = 3_000

/** Records the tasks of all threads with the processor time that each used. */
const traceTasks = async (browser: Browser): Promise<() => Promise<TraceEvent[]>> => {
  const devtools = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      recordMode: 'recordContinuously',
      includedCategories: ['toplevel'],
      excludedCategories: ['*'],
    },
  })
  return async () => {
    const complete = new Promise<void>(resolve => devtools.once('Tracing.tracingComplete', () => resolve()))
    await devtools.send('Tracing.end')
    await complete
    await devtools.detach()
    return events
  }
}

/** Processor times of the tasks of the main threads of pages, in milliseconds. Forced collections are recognized by their time. */
const taskTimes = (events: TraceEvent[], isForced: (at: number) => boolean): number[] => {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  return events
    .filter(({ name, pid, tid, ts }) => name === TASK && mains.has(`${pid}/${tid}`) && !isForced(ts))
    .map(({ tdur = 0 }) => tdur / 1000)
}

type Snapshot = {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } }
  nodes: number[]
}

/** Bytecode, machine code and feedback, from a heap snapshot. */
const measureCode = async (devtools: CDPSession): Promise<number> => {
  const chunks: string[] = []
  const onChunk = ({ chunk }: { chunk: string }): void => void chunks.push(chunk)
  devtools.on('HeapProfiler.addHeapSnapshotChunk', onChunk)
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  devtools.off('HeapProfiler.addHeapSnapshotChunk', onChunk)
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as Snapshot
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, size, code] = [fields.indexOf('type'), fields.indexOf('self_size'), types[0].indexOf('code')]
  let sum = 0
  for (let n = 0; n < nodes.length; n += fields.length)
    if (nodes[n + type] === code) sum += nodes[n + size] as number
  return sum
}

/** Watches an open page from now on. The page pauses for a heap snapshot before and after. */
export const watchPage = async (page: Page): Promise<Watch> => {
  const devtools: CDPSession = await page.context().newCDPSession(page)
  const first = await measureCode(devtools)
  // The page works off what has arrived during the pause.
  await delay(SETTLE_MS)
  const endTrace = await traceTasks(page.context().browser() as Browser)
  const health: PageHealth = {
    longTasksMs: [],
    busyTasksMs: [],
    maxTaskCpuMs: 0,
    nodes: [],
    heap: [],
    code: { first, last: first },
  }
  /** Forced collections block the page themselves, so tasks at that time do not count. */
  const collections: { from: number; to: number; tracedFrom: number; tracedTo: number }[] = []
  const now = () => page.evaluate<number>('performance.now()')
  /** Traces use the monotonic clock in microseconds, as `hrtime` does. */
  const traceNow = () => Number(process.hrtime.bigint() / 1000n)
  await page.evaluate(OBSERVE)
  return {
    countNodes: async () => {
      health.nodes.push(await page.evaluate<number>(`document.getElementsByTagName('*').length`))
    },
    measureHeap: async () => {
      const [tracedFrom, from] = [traceNow(), await now()]
      await devtools.send('HeapProfiler.collectGarbage')
      const { usedSize } = await devtools.send('Runtime.getHeapUsage')
      collections.push({ from, to: await now(), tracedFrom, tracedTo: traceNow() })
      health.heap.push(usedSize)
    },
    end: async () => {
      const tasks = await page.evaluate<LongTask[]>('window.longTasks')
      const isForced = ({ start, duration }: LongTask) =>
        collections.some(({ from, to }) => start < to && start + duration > from)
      health.longTasksMs = tasks.filter(task => !isForced(task)).map(({ duration }) => duration)
      const isForcedAt = (at: number) =>
        collections.some(({ tracedFrom, tracedTo }) => at > tracedFrom && at < tracedTo)
      const times = taskTimes(await endTrace(), isForcedAt)
      health.busyTasksMs = times.filter(ms => ms >= LONG_TASK_MS)
      health.maxTaskCpuMs = times.reduce((most, ms) => Math.max(most, ms), 0)
      health.code.last = await measureCode(devtools)
      await devtools.detach()
      return health
    },
  }
}
