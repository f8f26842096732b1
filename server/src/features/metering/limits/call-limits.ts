import type { AnySqlType } from '../../../platform/database/sql-types.ts'
import type { CallLimit } from './call-limit.ts'
import { dailyLimit } from './daily-limit-store.ts'
import { planLimit } from './plan-limit-store.ts'
import { rateLimit } from './rate-limit-store.ts'

/** In the order in which every statement locks their rows. */
export const CALL_LIMITS: readonly CallLimit[] = [planLimit, dailyLimit, rateLimit]

type Typed = Record<string, { type: AnySqlType }>
type Types<Columns extends Typed> = { [Name in keyof Columns]: Columns[Name]['type'] }

const typesOf = <Columns extends Typed, Results extends Typed>(limit: {
  columns: Columns
  results: Results
}): Types<Columns> & Types<Results> =>
  Object.fromEntries(
    Object.entries({ ...limit.columns, ...limit.results }).map(([name, { type }]) => [name, type]),
  ) as Types<Columns> & Types<Results>

/** What an admission says about the limits. */
export const limitColumns = { ...typesOf(planLimit), ...typesOf(dailyLimit), ...typesOf(rateLimit) }
