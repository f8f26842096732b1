import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type DoctorContext, ok } from './checks/finding.ts'
import { runChecks } from './run-checks.ts'

it('a check that hangs or fails is a finding, and the others run', async () => {
  const checks = [
    { name: 'hangs', run: () => new Promise<never>(() => undefined) },
    { name: 'fails', run: () => Promise.reject(new Error('no such file')) },
    { name: 'works', run: async () => [ok('one'), ok('two')] },
  ]
  const findings = await runChecks(checks, {} as DoctorContext, 50)
  assert.deepEqual(
    findings.map(({ check, status, found }) => [check, status, found]),
    [
      ['hangs', 'problem', 'No result within 0.05 seconds.'],
      ['fails', 'problem', 'The check failed: no such file'],
      ['works', 'ok', 'one'],
      ['works', 'ok', 'two'],
    ],
  )
})
