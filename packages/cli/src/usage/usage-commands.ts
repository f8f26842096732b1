import { withApi } from '../api/api-client.ts'
import type { Usage } from '../api/sdk.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { type RegisterCommands, topCommand } from '../program/create-program.ts'
import { choice, moment } from '../program/option-values.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { details, table } from '../terminal/table.ts'

type UsageOptions = { by?: 'day' | 'user' | 'connector' | 'tool'; since?: string; until?: string }
type Row = Usage['data'][number]

const GROUP_OF: Record<NonNullable<UsageOptions['by']>, (row: Row) => string | null | undefined> = {
  day: row => row.day,
  user: row => row.registered_user_id,
  connector: row => row.connector,
  tool: row => (row.connector ? `${row.connector}__${row.tool}` : row.tool),
}

const dateOf = (text: string): string => new Date(text).toISOString().slice(0, 10)

const showUsage = (context: CliContext, { by = 'day', since, until }: UsageOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const cycle = await client.usage.cycle()
    const usage = await client.usage.get({
      group_by: by,
      ...(since !== undefined && { since: dateOf(since) }),
      ...(until !== undefined && { until: dateOf(until) }),
    })
    const summary = details(
      [
        ['Plan', cycle.plan],
        ['Cycle', `${momentOf(cycle.starts_at)} to ${momentOf(cycle.ends_at)}`],
        ['Calls', `${cycle.counted}${cycle.limit === null ? '' : ` of ${cycle.limit}`}`],
        ['Left', cycle.left],
      ],
      context.screen,
    )
    const rows =
      usage.data.length === 0
        ? `There were no calls from ${usage.since} until ${usage.until}.`
        : table(
            usage.data,
            [
              { title: by.toUpperCase(), value: GROUP_OF[by], shrinks: by === 'tool' },
              { title: 'CALLS', value: row => row.calls },
              { title: 'COUNTED', value: row => row.counted },
              { title: 'ERRORS', value: row => row.errors },
              { title: 'NEED AUTH', value: row => row.needs_auth },
              { title: 'BLOCKED', value: row => row.blocked },
              { title: 'LIMITED', value: row => row.limited },
            ],
            context.screen,
          )
    return { text: `${summary}\n\n${rows}`, data: { cycle, ...usage } }
  })

export const registerUsage: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'usage',
    'organization',
    'Tool calls in the billing cycle, and by day, user, connector or tool',
  )
    .addOption(choice('--by <group>', 'group by (default: day)', ['day', 'user', 'connector', 'tool']))
    .option('--since <time>', 'first day (default: 29 days ago)', moment)
    .option('--until <time>', 'day after the last one (default: tomorrow)', moment)
    .examples('carabiner usage', 'carabiner usage --by tool --since 7d')
    .action(runs(context, (options: UsageOptions) => showUsage(context, options)))
}
