import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const MACHINE = join(import.meta.dirname, '../../../scripts/machine.ts')

test('machine: the tests find servers in the system folders, which are not in the PATH of an ordinary user', () => {
  const program = `
    import { spawnSync } from 'node:child_process'
    const { ensureTools } = await import(${JSON.stringify(MACHINE)})
    ensureTools()
    for (const [program, option] of [['haproxy', '-v'], ['nginx', '-v'], ['pgbouncer', '--version']])
      console.log(program, spawnSync(program, [option], { stdio: 'ignore' }).status)`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  assert.equal(status, 0, stderr)
  assert.equal(stdout, 'haproxy 0\nnginx 0\npgbouncer 0\n')
})
