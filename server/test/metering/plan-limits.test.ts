import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { planLimits, plans } from '@carabiner/contract'
import { flowEngines } from '../support/databases.ts'
import { joinTestService } from '../support/test-service.ts'

describe('limits of the plans', () => {
  for (const engine of flowEngines)
    it(`the database on ${engine} decides with the limits of the contract`, async () => {
      const t = await joinTestService(engine)
      try {
        const rows = await t.query(
          `select p.plan, plan_call_limit(p.plan) as calls, plan_retention_days(p.plan) as "recordDays",
             plan_event_days(p.plan) as "eventDays", plan_has_rate_limits(p.plan) as "hasRateLimits"
           from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '''(\\w+)''', 'g') m, lateral (select m[1] as plan) p
           where c.conrelid = 'organizations'::regclass and c.conname = 'organizations_plan_check'`,
        )
        assert.deepEqual(Object.fromEntries(rows.map(({ plan, ...limits }) => [plan, limits])), planLimits)
      } finally {
        await t.stop()
      }
    })

  it('the table of the guide contains the limits of the contract', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/plans.md'), 'utf8')
    const rows = plans.map(plan => {
      const { calls, recordDays, eventDays, hasRateLimits } = planLimits[plan]
      const count = calls === null ? 'no limit' : calls.toLocaleString('en')
      return `| \`${plan}\` | ${count} | ${recordDays} days | ${eventDays} days |${hasRateLimits ? ' yes' : ''} |`
    })
    assert.deepEqual(guide.match(/^\| `.*$/gm), rows)
  })
})
