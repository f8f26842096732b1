import { parseArgs } from 'node:util'
import { count, UsageError } from '../options.ts'

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

const parse = (args: string[]) => {
  try {
    return parseArgs({
      args,
      options: {
        seconds: { type: 'string' },
        connections: { type: 'string' },
        rounds: { type: 'string' },
        quick: { type: 'boolean' },
        only: { type: 'string' },
        steps: { type: 'boolean' },
        json: { type: 'string' },
        profile: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export const readMcpOptions = (args: string[]): McpOptions => {
  const given = parse(args)
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
