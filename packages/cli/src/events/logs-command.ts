import { parseArgs } from 'node:util'
import { helpOn } from '../help.ts'
import { type FailingOutput, UsageError } from '../output.ts'
import type { WebhookEvent } from '../sdk.ts'
import { openApi } from './api-client.ts'
import { readEventTypes } from './event-types.ts'
import { followEvents } from './follow-events.ts'
import { printable, type Terminal, timeOf } from './terminal.ts'

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  types: { type: 'string' },
} as const

/** `carabiner logs tail`: prints events as they happen. Null: everything was printed already. */
export const runLogs = async (
  args: string[],
  environment: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<FailingOutput | null> => {
  const { values, positionals } = parse(args)
  if (values.help || positionals.length === 0) return { text: helpOn('logs'), data: null }
  if (positionals.join(' ') !== 'tail')
    throw new UsageError(`There is no command "logs ${positionals.join(' ')}".\n\n${helpOn('logs')}`)
  const types = readEventTypes(values.types)
  await followEvents(openApi(environment), types, terminal, event =>
    terminal.print(values.json ? JSON.stringify(event) : describeEvent(event)),
  )
  return null
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('logs')}`)
  }
}

const describeEvent = ({ occurred_at, type, registered_user_id, data }: WebhookEvent): string => {
  const fields = Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
  const user = registered_user_id === null ? [] : [`user=${registered_user_id}`]
  return printable([timeOf(new Date(occurred_at)), type.padEnd(27), ...user, ...fields].join('  '))
}
