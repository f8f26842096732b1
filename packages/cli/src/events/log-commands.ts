import { type CallOutcome, callOutcomes } from '@carabiner/contract/call-outcomes'
import { openApi, withApi } from '../api/api-client.ts'
import { findUser } from '../api/find-user.ts'
import { pageSize, take } from '../api/take.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice, limitOption, moment } from '../program/option-values.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { describeEvent } from './describe-event.ts'

/** Prints events as they happen. */
const tailEvents = async (context: CliContext, options: { types?: string }): Promise<null> => {
  const [{ readEventTypes }, { followEvents }] = await Promise.all([
    import('./event-types.ts'),
    import('./follow-events.ts'),
  ])
  const types = readEventTypes(options.types)
  const { terminal, globals } = context
  await followEvents(await openApi(context), types, terminal, event =>
    terminal.print(globals.json ? JSON.stringify(event) : describeEvent(event)),
  )
  return null
}

type ListOptions = {
  user?: string
  connector?: string
  tool?: string
  outcome?: CallOutcome
  since?: string
  until?: string
  limit: number
}

/** Records of tool calls, without arguments and results. */
const listCalls = (context: CliContext, { user, limit, ...filter }: ListOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const owner = user === undefined ? {} : { registered_user_id: (await findUser(client, user)).id }
    const calls = await take(client.toolCalls.list({ ...filter, ...owner, limit: pageSize(limit) }), limit)
    return {
      text:
        calls.length === 0
          ? 'No matching tool calls.'
          : table(
              calls,
              [
                { title: 'TIME', value: call => momentOf(call.started_at) },
                { title: 'OUTCOME', value: call => call.outcome },
                {
                  title: 'TOOL',
                  value: call => (call.connector ? `${call.connector}__${call.tool}` : call.tool),
                  shrinks: true,
                },
                { title: 'ERROR', value: call => call.error_code, shrinks: true },
                {
                  title: 'MS',
                  value: call => Math.round((call.gateway_ms ?? 0) + (call.third_party_ms ?? 0)),
                },
                { title: 'USER', value: call => call.registered_user_id },
                { title: 'REQUEST', value: call => call.request_id },
              ],
              context.screen,
            ),
      data: calls,
    }
  })

export const registerLogs: RegisterCommands = (program, context) => {
  const logs = nounCommand(program, 'logs', 'everyday', 'Events as they happen, and records of tool calls')
  logs
    .command('tail')
    .description('Print events as they happen, until Ctrl-C; with --json, one JSON object per line')
    .option('--types <types>', 'only these event types, such as link.completed,tool_call.failed')
    .examples(
      'carabiner logs tail',
      'carabiner logs tail --json --types tool_call.failed | jq .data.error_code',
    )
    .action(runs(context, (options: { types?: string }) => tailEvents(context, options)))
  logs
    .command('list')
    .description('List the latest tool calls')
    .option('--user <user>', 'only of this Registered User: ID, your own ID, name or email')
    .option('--connector <slug>', 'only of this connector')
    .option('--tool <name>', 'only of this tool')
    .addOption(choice('--outcome <outcome>', 'only with this outcome', callOutcomes))
    .option('--since <time>', 'such as 2030-01-31, 2030-01-31T12:00:00Z, 30m, 12h or 7d', moment)
    .option('--until <time>', 'exclusive', moment)
    .addOption(limitOption(50))
    .examples('carabiner logs list --outcome error --since 1h', 'carabiner logs list --user ana --json')
    .action(runs(context, (options: ListOptions) => listCalls(context, options)))
}
