import { DAY } from '../../core/duration.ts'
import type { RowChunk } from '../../platform/archive/archive-format.ts'
import type { RecordPeriod } from './record-partitions.ts'

/** Longer than an import takes. The service must not delete imported records before they were compared with the archive. */
const MARGIN_MS = DAY

const retentionOf = (columns: string[], line: string): RecordPeriod => {
  const row = JSON.parse(line) as string[]
  return {
    days: Number(row[columns.indexOf('retention_days')]),
    at: row[columns.indexOf('started_at')] as string,
  }
}

/** The records of a chunk whose retention ends within a day of the start of the import. They are not imported. */
export const findExpired = ({ columns, lines }: RowChunk, importStartedAt: Date): Set<string> => {
  const isExpired = (line: string): boolean => {
    const { days, at } = retentionOf(columns, line)
    return new Date(at).getTime() + days * DAY < importStartedAt.getTime() + MARGIN_MS
  }
  return new Set(lines.filter(isExpired))
}

/** The retentions and times of records, one for each day. */
export const periodsOf = (columns: string[], lines: string[]): RecordPeriod[] => {
  const periods = lines.map(line => retentionOf(columns, line))
  return [...new Map(periods.map(period => [`${period.days} ${period.at.slice(0, 10)}`, period])).values()]
}
