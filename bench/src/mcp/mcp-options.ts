import { parseArgs } from 'node:util'
import { COMMON, count, withUsageErrors } from '../options.ts'

export type McpOptions = {
  seconds: number
  connections: number
  rounds: number
  json: string | undefined
  /** Folder for a CPU profile of the service. Default: no profile. */
  profile: string | undefined
  /** The subjects to measure. Default: all. */
  only: string[] | undefined
  /** ADMISSION_COMMIT of the gateway. */
  admissionCommit: 'sync' | 'async'
  /** Processes of the gateway. */
  processes: number
  /** Measures the steps of a call instead of comparing proxies. */
  steps: boolean
}

export const MCP_USAGE = `node bench/src/mcp/main.ts [options]

  --seconds N       duration of each measurement (default: 5)
  --connections N   number of concurrent callers; one caller is always measured as well (default: 32)
  --rounds N        number of repetitions; medians are reported (default: 5)
  --quick           one round of one second, to check that the bench runs
  --only A,B        only these subjects
  --async           runs the gateway with ADMISSION_COMMIT=async
  --processes N     number of processes of the gateway (default: 1)
  --steps           measures the steps of a call instead of comparing proxies
  --json FILE       writes every figure as JSON
  --profile FOLDER  writes a CPU profile of the service
`

const OPTIONS = {
  ...COMMON,
  only: { type: 'string' },
  async: { type: 'boolean' },
  processes: { type: 'string' },
  steps: { type: 'boolean' },
} as const

export const readMcpOptions = (args: string[]): McpOptions => {
  const { values: given } = withUsageErrors(() => parseArgs({ args, options: OPTIONS }))
  return {
    seconds: count('seconds', given.seconds, given.quick ? 1 : 5),
    connections: count('connections', given.connections, 32),
    rounds: count('rounds', given.rounds, given.quick ? 1 : 5),
    processes: count('processes', given.processes, 1),
    steps: given.steps === true,
    admissionCommit: given.async ? 'async' : 'sync',
    json: given.json,
    profile: given.profile,
    // The name of a subject may contain a comma and a space.
    only: given.only?.split(/,(?! )/),
  }
}
