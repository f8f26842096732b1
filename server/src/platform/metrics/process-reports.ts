import { SECOND } from '../../core/duration.ts'
import type { Child } from '../processes/child.ts'
import { mergeReports } from './exposition.ts'
import type { MetricReport } from './metrics.ts'

/** Shorter than the timeout of a scrape. */
const REPORT_TIMEOUT_MS = 3 * SECOND

/** The metrics of a service of several processes. */
export type ProcessReports = {
  add(child: Child): void
  /** Merges the metrics of all processes. One that does not respond in time contributes its last counters. */
  read(): Promise<MetricReport[]>
}

type Member = {
  child: Child
  report: MetricReport[]
  /** Set while a report is requested. */
  pending: PromiseWithResolvers<void> | null
}

/**
 * Counters of processes that have ended are kept, because a counter that decreases looks to Prometheus like a restart of
 * the whole service, and all its calls would be counted again.
 */
export const createProcessReports = (timeoutMs = REPORT_TIMEOUT_MS): ProcessReports => {
  const members = new Set<Member>()
  let ended: MetricReport[] = []

  const receive = (member: Member, report: MetricReport[]): void => {
    member.report = report
    member.pending?.resolve()
    member.pending = null
  }
  const readMember = async (member: Member): Promise<MetricReport[]> => {
    if (!member.pending) {
      member.pending = Promise.withResolvers()
      member.child.send({ order: 'report-metrics' })
    }
    const isCurrent = await withinTime(member.pending.promise, timeoutMs)
    return isCurrent ? member.report : onlyCumulative(member.report)
  }

  return {
    add: child => {
      const member: Member = { child, report: [], pending: null }
      members.add(member)
      child.onMetrics(report => receive(member, report))
      child.onExit(() => {
        members.delete(member)
        receive(member, onlyCumulative(member.report))
        ended = mergeReports([ended, member.report])
      })
    },
    read: async () => {
      // Before the requests: a process that ends meanwhile is already among the members.
      const before = ended
      return mergeReports([before, ...(await Promise.all([...members].map(readMember)))])
    },
  }
}

const onlyCumulative = (report: MetricReport[]): MetricReport[] =>
  report.filter(({ type }) => type !== 'gauge')

const withinTime = async (work: Promise<void>, milliseconds: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), milliseconds)
  const inTime = await Promise.race([work.then(() => true), promise])
  clearTimeout(timer)
  return inTime
}
