import { parseArgs } from 'node:util'
import { COMMON, count, tellUsage } from '../options.ts'

export type McpOptions = {
  seconds: number
  connections: number
  rounds: number
  json: string | undefined
  /** Where the service leaves a CPU profile; absent, it is not profiled. */
  profile: string | undefined
  /** Only these subjects; all where absent. */
  only: string[] | undefined
  /** What each step of a call costs, instead of the comparison. */
  steps: boolean
}

export const MCP_USAGE = `node bench/src/mcp/main.ts [options]

  --seconds N       how long each measurement lasts (5)
  --connections N   how many callers at once, beside one (32)
  --rounds N        how often each measurement is repeated; medians are told (5)
  --quick           one round of one second: that it runs, not how fast
  --only A,B        only these subjects
  --steps           what each step of a call costs, instead
  --json FILE       every figure, for a machine
  --profile FOLDER  leaves a CPU profile of the service there
`

const OPTIONS = { ...COMMON, only: { type: 'string' }, steps: { type: 'boolean' } } as const

export const readMcpOptions = (args: string[]): McpOptions => {
  const { values: given } = tellUsage(() => parseArgs({ args, options: OPTIONS }))
  return {
    seconds: count('seconds', given.seconds, given.quick ? 1 : 5),
    connections: count('connections', given.connections, 32),
    rounds: count('rounds', given.rounds, given.quick ? 1 : 5),
    steps: given.steps === true,
    json: given.json,
    profile: given.profile,
    only: given.only?.split(','),
  }
}
