import type { Node } from '../processes.ts'
import { type Outcome, type RefreshStage, tally } from './stage.ts'

export type Herd = {
  outcomes: Record<string, number>
  /** Requests at the token endpoint, by outcome. */
  refreshes: { ok: number; refused: number; fault: number }
  /** Number of `credential.refreshed` events. */
  events: number
  milliseconds: number
}

/** Makes all calls concurrently, distributed evenly over processes and users. */
export const callAtOnce = async (
  stage: RefreshStage,
  { users, callers }: { users: string[]; callers: number },
): Promise<Herd> => {
  stage.takeRefreshes()
  const before = await stage.countEvents(users, 'credential.refreshed')
  const startedAt = performance.now()
  const { nodes } = stage
  const calls = Array.from({ length: callers }, (_, n): Promise<Outcome> => {
    // The calls of each user reach every process, even if the two counts have a common divisor.
    const node = nodes[(n + Math.floor(n / users.length)) % nodes.length] as Node
    return stage.call(node, users[n % users.length] as string)
  })
  const outcomes = tally(await Promise.all(calls))
  const milliseconds = Math.round(performance.now() - startedAt)
  const refreshes = { ok: 0, refused: 0, fault: 0 }
  for (const { outcome } of stage.takeRefreshes()) refreshes[outcome]++
  const events = (await stage.countEvents(users, 'credential.refreshed')) - before
  return { outcomes, refreshes, events, milliseconds }
}
