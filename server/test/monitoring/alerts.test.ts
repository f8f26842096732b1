import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ALERT_TESTS, ALERTS, readDashboard } from '../support/monitoring-files.ts'

const promtool = (...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
}

test('alerts: promtool accepts the rules', () => promtool('check', 'rules', ALERTS))

test('alerts: each rule fires when it should, and not otherwise', () => {
  promtool('test', 'rules', ALERT_TESTS)
  const tests = readFileSync(ALERT_TESTS, 'utf8')
  const names = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name as string,
  )
  assert.ok(names.length >= 10, 'the rules were found')
  assert.deepEqual(
    names.filter(name => !tests.includes(`alertname: ${name}\n        exp_alerts:`)),
    [],
    'every rule has a test in which it fires',
  )
})

test('dashboard: every panel has an ID of its own and reads something', () => {
  const { panels } = readDashboard()
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const empty = panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0)
  assert.deepEqual(
    empty.map(({ title }) => title),
    [],
  )
})
