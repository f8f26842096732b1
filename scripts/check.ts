import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildPackages } from './build-packages.ts'

/** The fast checks: format, lint, types and import rules. */
const bin = (name: string): string => join(import.meta.dirname, '../node_modules/.bin', name)

const checks: [name: string, command: string, args: string[]][] = [
  ['format', bin('biome'), ['check', '.']],
  [
    'lint',
    bin('oxlint'),
    [
      '--type-aware',
      '--deny-warnings',
      'server',
      'sandbox',
      'dashboard/src',
      'docs/.vitepress/site',
      'docs/.vitepress/theme',
      'packages',
      'examples',
      'scripts',
      'e2e',
      'bench',
    ],
  ],
  ['types', bin('tsc'), ['-p', '.']],
  ['types for browsers', bin('tsc'), ['-p', 'tsconfig.browser.json']],
  ['types of the dashboard', bin('tsc'), ['-p', 'dashboard']],
  ['types of the documentation', bin('tsc'), ['-p', 'docs/.vitepress']],
  ['floors', process.execPath, ['--test', '--test-reporter=dot', 'server/test/floors.test.ts']],
]

const run = (name: string, command: string, args: string[]): Promise<boolean> =>
  new Promise(resolve => {
    const startedAt = performance.now()
    const output: Buffer[] = []
    const child = spawn(command, args, {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
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
