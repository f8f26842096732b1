/** The last line of `carabiner org move --json`. The lines before it report progress. */
export type MoveReport = {
  id: string
  cell: string
  records: number
  records_ms: number
  rows: number
  frozen_ms: number | null
}

export const parseReport = (output: string): MoveReport =>
  JSON.parse(output.trim().split('\n').at(-1) as string) as MoveReport
