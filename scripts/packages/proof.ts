import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createBrowserUser, linkNotes } from '../../server/test/support/browser-user.ts'
import { findHeadlessChromium } from '../machine.ts'
import { DISPOSABLE_SETTINGS, freePort, startCluster } from '../postgres-cluster.ts'
import { checkArchive } from './check-archive.ts'
import { createProject, type EmptyProject } from './empty-project.ts'
import { type Packed, packPackages } from './pack.ts'
import { PUBLISHED, publishedManifest } from './published.ts'

/**
 * `npm run proof:packages`: packs all packages, installs the archives in an empty project outside of this repository, and uses them there:
 * every export, the types, `npx --no-install carabiner start` with a linked account and the official MCP client, and the examples of tests.
 */
const root = join(import.meta.dirname, '../..')
const START_TIMEOUT_MS = 120_000
const OTHERS = [
  '@modelcontextprotocol/sdk@1.32.2',
  'react@19.3.1',
  '@types/react@19.3.0',
  'typescript@7.0.2',
  '@types/node@24.19.2',
  'vitest@5.1.0',
  '@playwright/test@1.65.0',
]

const startedAt = performance.now()
const report = (text: string): void =>
  void process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MB`

const checkArchives = async (packed: readonly Packed[]): Promise<void> => {
  for (const { name, file, bytes, unpackedBytes } of packed) {
    assert.deepEqual(await checkArchive(file), [], name)
    report(
      `${name}: ${megabytes(bytes)} packed, ${megabytes(unpackedBytes)} unpacked; publint and attw find nothing`,
    )
  }
}

/** All modules except programs, which run when they are imported. */
const entryPoints = (): string[] =>
  PUBLISHED.flatMap(name => {
    const { name: published, exports: exported } = publishedManifest(name)
    return Object.keys(exported)
      .filter(entry => entry !== './main')
      .map(entry => published + entry.slice(1))
  })

const importAll = async (project: EmptyProject): Promise<void> => {
  const names = entryPoints()
  const code = `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(await import(name)).length)`
  const output = await project.node(['--input-type=module', '--eval', code])
  assert.equal(output.trim().split('\n').length, names.length)
  report(`${names.length} entry points are imported`)
}

const checkTypes = async (project: EmptyProject): Promise<void> => {
  project.write(
    'types.ts',
    entryPoints()
      .map((name, index) => `export * as e${index} from '${name}'`)
      .join('\n'),
  )
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['types.ts'] }))
  await project.node(['node_modules/typescript/bin/tsc', '-p', '.'])
  report('the types compile: strict, with skipLibCheck off')
}

const CALL_NOTES = `
  import { Client } from '@modelcontextprotocol/sdk/client/index.js'
  import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
  const [url, key] = process.argv.slice(1)
  const client = new Client({ name: 'proof', version: '1.0.0' })
  const requestInit = { headers: { authorization: 'Bearer ' + key } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const result = await client.callTool({ name: 'sandbox-notes__list_notes', arguments: {} })
  console.log(JSON.stringify(result.structuredContent))
  await client.close()`

const useService = async (
  project: EmptyProject,
  title: string,
  settings: Record<string, string> = {},
): Promise<void> => {
  const begun = performance.now()
  const service = spawn('npx', ['carabiner', 'start'], {
    cwd: project.folder,
    env: { ...project.environment, PORT: String(await freePort()), SANDBOX_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [service.stdout, service.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const exited = new Promise<void>(resolve => service.once('exit', () => resolve()))
  try {
    while (!output.includes('Or create a link')) {
      assert.ok(performance.now() - begun < START_TIMEOUT_MS && service.exitCode === null, output)
      await delay(50)
    }
    report(`${title}: ready after ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    await linkAndCall(project, output)
  } finally {
    if (service.pid !== undefined && service.exitCode === null) process.kill(-service.pid, 'SIGTERM')
    await exited
  }
  report(`${title}: stopped by a signal`)
}

/** Worker processes and threads are started by their path. */
const useProcesses = async (project: EmptyProject): Promise<void> => {
  const cluster = await startCluster(DISPOSABLE_SETTINGS)
  const settings = { PROCESSES: '2', DATABASE_URL: `${cluster.url}/postgres`, KEY_FILE: './keys-2/vault.key' }
  try {
    await useService(project, 'PROCESSES=2 npx --no-install carabiner start, on PostgreSQL', settings)
  } finally {
    await cluster.stop()
  }
}

const tryRelease = async (): Promise<void> => {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'release.ts'), '--dry-run']
  // Without a section of the changelog, or with uncommitted changes, it fails after it has checked everything.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch(
    (error: { stdout: string; stderr: string }) => {
      assert.match(
        error.stderr,
        /^Not ready for a release:\n(?: {2}- (?:CHANGELOG\.md has|The working tree has).*\n|[ MAD?]{2} .*\n)+$/,
      )
      return error
    },
  )
  const published = [...stdout.matchAll(/^ {2}(\S+)@\d/gm)].map(([, name]) => name)
  assert.deepEqual(
    published,
    PUBLISHED.map(name => publishedManifest(name).name),
  )
  report('npm run release -- --dry-run: lists all packages in their order')
}

const linkAndCall = async (project: EmptyProject, output: string): Promise<void> => {
  const find = (pattern: RegExp): string =>
    pattern.exec(output)?.[1] ?? assert.fail(`${pattern} in ${output}`)
  const mcpUrl = find(/MCP URL\s+(\S+)/)
  const { origin } = new URL(mcpUrl)
  for (const path of ['/readyz', '/dashboard', '/docs/', '/api/v1/openapi.json'])
    assert.ok((await fetch(origin + path)).ok, path)
  await linkNotes(createBrowserUser(), find(/(http\S+\/magic-link\/\S+)/))
  const called = await project.node([
    '--input-type=module',
    '--eval',
    CALL_NOTES,
    mcpUrl,
    find(/(cb_sk_test_\w+)/),
  ])
  assert.match(called, /Lisbon in April/)
  report('an account is linked over HTTP, and the official MCP client calls a tool')
}

const runExamples = async (project: EmptyProject): Promise<void> => {
  for (const name of ['node', 'vitest', 'playwright'])
    cpSync(join(root, `examples/testing-${name}`), join(project.folder, name), {
      recursive: true,
      filter: path => !path.includes('node_modules') && !path.endsWith('package.json'),
    })
  await project.node(['--test', ...globSync('node/*.test.ts', { cwd: project.folder })])
  report('examples/testing-node passes')
  await project.node(['node_modules/vitest/vitest.mjs', 'run', '--root', 'vitest'])
  report('examples/testing-vitest passes')
  const chromium = findHeadlessChromium()
  if (!chromium) return report('examples/testing-playwright needs Chromium: not run')
  const browser = { CHROMIUM_PATH: chromium }
  await project.node(['node_modules/@playwright/test/cli.js', 'test', '--config', 'playwright'], browser)
  report('examples/testing-playwright passes')
}

const explainOldNode = async (project: EmptyProject): Promise<void> => {
  const bin = readFileSync(join(project.folder, 'node_modules/carabiner/bin/carabiner.mjs'), 'utf8')
  // The check must come before anything that an older version cannot load.
  assert.match(bin.split('import(')[0] ?? '', /process\.versions\.node/)
  const older = ['/usr/bin/node', '/usr/local/bin/node']
  for (const node of older) {
    const { stdout } = await promisify(execFile)(node, ['--version']).catch(() => ({ stdout: '' }))
    if (!/^v(?:1\d|2[0-3])\./.test(stdout)) continue
    const started = promisify(execFile)(node, ['node_modules/.bin/carabiner', 'start'], {
      cwd: project.folder,
    })
    await assert.rejects(started, /needs Node 24/)
    return report(`Node ${stdout.trim()}: the command names the version that it needs`)
  }
}

const archives = mkdtempSync(join(tmpdir(), 'carabiner-archives-'))
const project = createProject()
try {
  const packed = await packPackages(archives)
  await checkArchives(packed)
  const installing = performance.now()
  await project.install([...packed.map(({ file }) => file), ...OTHERS])
  report(`installed in ${((performance.now() - installing) / 1000).toFixed(0)} s`)
  await importAll(project)
  await checkTypes(project)
  await useService(project, 'npx --no-install carabiner start')
  await useProcesses(project)
  await explainOldNode(project)
  await runExamples(project)
  await tryRelease()
  report('done')
} finally {
  project.remove()
  rmSync(archives, { recursive: true, force: true })
}
