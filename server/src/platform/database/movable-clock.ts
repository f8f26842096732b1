import type { Queryable } from './database.ts'
import { double, timestamptz } from './sql-types.ts'
import { statement } from './statement.ts'

/**
 * `app_now()` with an offset that a test may increase. It exists only in databases that a test has created: no setting of the
 * service installs it (decision 39).
 */
export const MOVABLE_CLOCK = `
  create table test_clock (ahead interval not null);
  insert into test_clock values ('0');
  create or replace function app_now() returns timestamptz language sql stable as $$ select now() + ahead from test_clock $$;`

const advance = statement({
  name: 'test.advance_clock',
  parameters: { seconds: double },
  sql: 'update test_clock set ahead = ahead + make_interval(secs => :seconds)',
})
const reset = statement({ name: 'test.reset_clock', sql: `update test_clock set ahead = '0'` })
const selectNow = statement({
  name: 'test.now',
  columns: { now: timestamptz },
  sql: 'select app_now() as now',
})

export const moveClock = async (db: Queryable, milliseconds: number): Promise<void> => {
  await db.query(advance, { seconds: milliseconds / 1000 })
}

export const resetClock = async (db: Queryable): Promise<void> => {
  await db.query(reset)
}

export const readClock = async (db: Queryable): Promise<Date> => {
  const [row] = await db.query(selectNow)
  if (!row) throw new Error('the clock returned no time')
  return row.now
}
