import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildPackages } from './build-packages.ts'

/** The fast checks: format, lint, types and import rules. */
const bin = (name: string): string => join(import.meta.dirname, '../node_modules/.bin', name)

/** With one checker, because several infer the same types again, and the other checks use the other cores. */
const checkTypes = (project: string): [command: string, args: string[]] => [
  bin('tsc'),
  ['-p', project, '--checkers', '1'],
]

const checks: [name: string, command: string, args: string[]][] = [
  ['format', bin('biome'), ['check', '.']],
  [
    'lint',
    bin('oxlint'),
    [
      '--type-aware',
      '--deny-warnings',
      'server',
      'dashboard/src',
      'docs/.vitepress/site',
      'docs/.vitepress/theme',
      'packages',
      'apps',
      'examples',
      'scripts',
      'e2e',
      'bench',
    ],
  ],
  ['types', ...checkTypes('.')],
  ['types for browsers', ...checkTypes('tsconfig.browser.json')],
  ['types of the dashboard', ...checkTypes('dashboard')],
  ['types of the documentation', ...checkTypes('docs/.vitepress')],
  ['floors', process.execPath, ['--test', '--test-reporter=dot', 'server/test/floors.test.ts']],
]

const run = (name: string, command: string, args: string[]): Promise<boolean> =>
  new Promise(resolve => {
    const startedAt = performance.now()
    const output: Buffer[] = []
    const child = spawn(command, args, {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
      // The type checker and the linter are written in Go. Collecting garbage half as often saves a tenth of their time.
      env: { ...process.env, GOGC: '200' },
    })
    child.stdout.on('data', chunk => output.push(chunk as Buffer))
    child.stderr.on('data', chunk => output.push(chunk as Buffer))
    child.on('close', code => {
      process.stdout.write(
        `${code === 0 ? '✔' : '✖'} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`,
      )
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })

export const runChecks = async (): Promise<boolean> => {
  // The examples are checked against the built packages, as users get them.
  await buildPackages()
  const results = await Promise.all(checks.map(check => run(...check)))
  return results.every(Boolean)
}

if (import.meta.main) process.exit((await runChecks()) ? 0 : 1)
