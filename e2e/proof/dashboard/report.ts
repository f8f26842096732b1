import type { PageHealth } from '../../support/page-health.ts'

/** Prints each figure with its target, and remembers whether all were met. */
export type Report = {
  section: (title: string) => void
  progress: (text: string) => void
  note: (text: string) => void
  figure: (isMet: boolean, text: string) => void
  allMet: () => boolean
}

export const createReport = (): Report => {
  let missed = 0
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  return {
    section: title => print(`\n${title}`),
    progress: text => void process.stderr.write(`  … ${text}\n`),
    note: text => print(`    ${text}`),
    figure: (isMet, text) => {
      if (!isMet) missed++
      print(`  ${isMet ? '✔' : '✖'} ${text}`)
    },
    allMet: () => missed === 0,
  }
}

const MAX_NODES = 2_000
const MEGABYTE = 1024 * 1024

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const thirdsOf = (values: number[]): { first: number; last: number } => {
  const third = Math.max(1, Math.floor(values.length / 3))
  return { first: mean(values.slice(0, third)), last: mean(values.slice(-third)) }
}

const worstOf = (durations: number[]): string =>
  durations.length > 0 ? `, worst ${Math.max(...durations).toFixed(0)} ms` : ''

/**
 * A task is long if it blocks the page for 50 ms by the clock. Those that used less processor time have waited for a processor:
 * other programs of the machine extend them.
 */
export const reportTasks = (report: Report, { longTasksMs, busyTasksMs, maxTaskCpuMs }: PageHealth): void => {
  report.figure(
    longTasksMs.length === 0,
    `long tasks (50 ms or more by the clock, from PerformanceObserver): ${longTasksMs.length}${worstOf(longTasksMs)}; target: none`,
  )
  report.note(
    `with 50 ms or more of processor time: ${busyTasksMs.length}; the longest task used ${maxTaskCpuMs.toFixed(0)} ms of it`,
  )
}

export const reportNodes = (report: Report, { nodes }: PageHealth): void =>
  report.figure(
    Math.max(...nodes) <= MAX_NODES,
    `elements in the document: at most ${Math.max(...nodes)}, at the end ${nodes.at(-1)}; target: at most ${MAX_NODES}`,
  )

const MAX_GROWTH = 0.1

export const reportHeap = (report: Report, { heap, code }: PageHealth): void => {
  const { first, last } = thirdsOf(heap)
  const growth = last / first - 1
  const inMegabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(2)
  report.figure(
    growth <= MAX_GROWTH,
    `live heap: ${inMegabytes(first)} MB in the first third, ${inMegabytes(last)} MB in the last (${growth < 0 ? '' : '+'}${(100 * growth).toFixed(1)} %); target: at most +${100 * MAX_GROWTH} %`,
  )
  report.note(
    `compiled code in it: ${inMegabytes(code.first)} MB at the start, ${inMegabytes(code.last)} MB at the end`,
  )
}
