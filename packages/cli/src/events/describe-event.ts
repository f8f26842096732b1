import type { WebhookEvent } from '../api/sdk.ts'
import { printable, timeOf } from '../terminal/printable.ts'

export const describeEvent = ({ occurred_at, type, registered_user_id, data }: WebhookEvent): string => {
  const fields = Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
  const user = registered_user_id === null ? [] : [`user=${registered_user_id}`]
  return printable([timeOf(new Date(occurred_at)), type.padEnd(27), ...user, ...fields].join('  '))
}
