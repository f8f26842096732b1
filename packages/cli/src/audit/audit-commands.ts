import { withApi } from '../api/api-client.ts'
import { findUser } from '../api/find-user.ts'
import { pageSize, take } from '../api/take.ts'
import { type CliContext, runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { limitOption, moment } from '../program/option-values.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

type AuditOptions = {
  action?: string
  actor?: string
  target?: string
  user?: string
  since?: string
  until?: string
  limit: number
}

const timeOf = (text: string): string => new Date(text).toISOString()

const listEntries = (context: CliContext, options: AuditOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const { user, since, until, limit, ...filter } = options
    const pages = client.auditEntries.list({
      ...filter,
      ...(user !== undefined && { registered_user_id: (await findUser(client, user)).id }),
      ...(since !== undefined && { since: timeOf(since) }),
      ...(until !== undefined && { until: timeOf(until) }),
      limit: pageSize(limit),
    })
    const entries = await take(pages, limit)
    return {
      text:
        entries.length === 0
          ? 'No matching entries.'
          : table(
              entries,
              [
                { title: 'ENTRY', value: entry => entry.sequence },
                { title: 'TIME', value: entry => momentOf(entry.at) },
                {
                  title: 'ACTION',
                  value: entry =>
                    entry.outcome === 'done' ? entry.action : `${entry.action} (${entry.outcome})`,
                },
                { title: 'TARGET', value: ({ target }) => target.name ?? target.id, shrinks: true },
                {
                  title: 'ACTOR',
                  value: ({ actor }) => `${actor.type} ${actor.name ?? actor.hint ?? actor.id}`,
                  shrinks: true,
                },
                { title: 'FROM', value: ({ from }) => from.address ?? from.user_agent, shrinks: true },
              ],
              context.screen,
            ),
      data: entries,
    }
  })

export const registerAudit: RegisterCommands = (program, context) => {
  nounCommand(program, 'audit', 'organization', 'The audit log: who changed what, and from where')
    .command('list')
    .description('List the latest entries of the organization; needs the production key')
    .option('--action <action>', 'such as tool_pack.updated')
    .option('--actor <id>', 'ID of the API key or the person')
    .option('--target <id>', 'ID of the changed resource')
    .option('--user <user>', 'only about this Registered User')
    .option('--since <time>', 'such as 2030-01-31, 2030-01-31T12:00:00Z, 30m, 12h or 7d', moment)
    .option('--until <time>', 'exclusive', moment)
    .addOption(limitOption(50))
    .examples('carabiner audit list', 'carabiner audit list --action api_key.regenerated --since 30d')
    .action(runs(context, (options: AuditOptions) => listEntries(context, options)))
}
