/**
 * `npm run proof:quickstarts`: follows three pages of the documentation from an empty folder, as a reader would, with the packed
 * packages. Prints the number of commands and files, and the seconds without the installation of packages.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startBrowser } from '../e2e/support/browser.ts'
import { continueInWindow, embeddingOn, signInAndAllow } from '../e2e/support/embedding.ts'
import { readBlocks } from '../server/test/documentation/fenced-blocks.ts'
import { createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import { startModelStub } from '../server/test/support/model-stub.ts'
import { minimalEnvironment } from './packages/empty-project.ts'
import { packPackages } from './packages/pack.ts'

const blocks = readBlocks()
const stage = mkdtempSync(join(tmpdir(), 'carabiner-quickstarts-'))
const environment = minimalEnvironment(stage)

type Quickstart = { name: string; commands: number; files: number; seconds: number; installSeconds: number }

/** A reader's terminal in an empty folder. */
const openTerminal = (name: string) => {
  const folder = join(stage, name)
  mkdirSync(folder)
  const counted: Quickstart = { name, commands: 0, files: 0, seconds: 0, installSeconds: 0 }
  const timed = async <T>(field: 'seconds' | 'installSeconds', work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const result = await work()
    counted[field] += (performance.now() - startedAt) / 1000
    return result
  }
  const execute = async (command: string, cwd: string): Promise<string> => {
    const { stdout } = await promisify(execFile)('bash', ['-euc', command], { cwd, env: environment })
    return stdout
  }
  return {
    counted,
    folder,
    run: (command: string, cwd = folder) => {
      counted.commands++
      const field = /^npm (?:install|create)/.test(command) ? 'installSeconds' : 'seconds'
      return timed(field, () => execute(command, cwd))
    },
    write: (path: string, text: string) => {
      counted.files++
      writeFileSync(join(folder, path), text)
    },
    /** Starts a program that keeps running, and waits for a text in its output. */
    start: (command: string, ready: RegExp, cwd = folder) => {
      counted.commands++
      return timed('seconds', () => startProgram(command, ready, cwd))
    },
    /** What the person does in a browser. */
    act: <T>(work: () => Promise<T>) => timed('seconds', work),
  }
}

const stops: (() => Promise<void>)[] = []

const startProgram = async (command: string, ready: RegExp, cwd: string): Promise<string> => {
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  stops.unshift(async () => {
    if (child.exitCode !== null || child.pid === undefined) return
    // npx and npm start other processes, which belong to the same group.
    process.kill(-child.pid, 'SIGTERM')
    await exited
  })
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: unknown) => {
      output += String(chunk)
      if (ready.test(output)) resolve(output)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exited.then(() => reject(new Error(`${command} ended:\n${output}`)))
  })
}

const block = (file: string, find: (code: string, name: string | null) => boolean): string => {
  const found = blocks.find(each => each.file === file && find(each.code, each.name))
  if (!found) throw new Error(`${file} has no such block`)
  return found.code
}

const archives = (await packPackages(join(stage, 'packed'))).map(({ name, file }) => ({ name, file }))
const archive = (...names: string[]): string =>
  names.map(name => archives.find(each => each.name === name)?.file ?? '').join(' ')

/** Packages that `carabiner` depends on, and the sandbox. The registry will provide them. */
const SERVICE_PACKAGES = ['cli', 'contract', 'detection', 'sdk', 'sandbox'].map(name => `@carabiner/${name}`)

/** From nothing to the first tool call with `curl`. */
const magicLink = async (): Promise<Quickstart> => {
  const page = 'docs/get-started/index.md'
  const { run, start, act, counted } = openTerminal('magic link')
  await run(`npm install --no-audit --no-fund ${archive('carabiner', ...SERVICE_PACKAGES)}`)
  const output = await start('npx --no-install carabiner start', /export MCP_URL=\S+\n/)
  for (const [, name = '', value = ''] of output.matchAll(/^export (\w+)=(\S+)$/gm)) environment[name] = value
  const call = block(page, code => code.includes('tools/call'))
  const link = /http[^"\\]+\/magic-link\/[^"\\ ]+/.exec(await run(call))?.[0] ?? ''
  await act(() => linkNotes(createBrowserUser(), link))
  if (!(await run(call)).includes('Kitchen quotes')) throw new Error('The call returned no notes.')
  return counted
}

/** From an empty folder to a connected account in an own page. */
const reactApp = async (): Promise<Quickstart> => {
  const page = 'docs/get-started/react.md'
  const terminal = openTerminal('React')
  const { run, start, act, counted, folder } = terminal
  await run('npm create -y vite@9.3.0 my-app -- --template react-ts --no-interactive')
  const app = join(folder, 'my-app')
  await run('npm install --no-audit --no-fund', app)
  await run(`npm install --no-audit --no-fund ${archive('@carabiner/sdk', '@carabiner/link')}`, app)
  for (const file of ['vite.config.ts', 'src/App.tsx'])
    terminal.write(
      join('my-app', file),
      block(page, (_code, name) => name === file),
    )
  await start('npm run dev', /localhost:5173/, app)
  const browser = await startBrowser()
  stops.unshift(() => browser.close())
  await act(async () => {
    const opened = await browser.newPage()
    await opened.goto('http://localhost:5173')
    await opened.getByRole('button', { name: 'Connect Notes' }).click()
    await signInAndAllow(await continueInWindow(embeddingOn(opened)))
    await opened.getByText('Notes is connected.').first().waitFor()
  })
  return counted
}

/** An agent of the AI SDK with a stand-in for its model, before and after the user connects the account. */
const agent = async (): Promise<Quickstart> => {
  const page = 'docs/frameworks/ai-sdk.md'
  const terminal = openTerminal('agent framework')
  const models = await startModelStub()
  stops.unshift(() => models.stop())
  Object.assign(environment, { OPENAI_API_KEY: 'unused', OPENAI_BASE_URL: `${models.url}/v1` })
  await terminal.run(block(page, code => code.startsWith('npm install')).trim())
  terminal.write(
    'agent.mjs',
    block(page, (_code, name) => name === 'agent.mjs'),
  )
  if (!(await terminal.run('node agent.mjs')).includes('Kitchen quotes'))
    throw new Error('The agent returned no notes.')
  return terminal.counted
}

const show = (rows: Quickstart[]): void => {
  console.log(
    '\n| quickstart | commands | files | seconds | installation of packages |\n|---|---|---|---|---|',
  )
  for (const { name, commands, files, seconds, installSeconds } of rows)
    console.log(
      `| ${name} | ${commands} | ${files} | ${seconds.toFixed(1)} | ${installSeconds.toFixed(1)} s |`,
    )
}

try {
  const rows: Quickstart[] = []
  for (const follow of [magicLink, reactApp, agent]) {
    rows.push(await follow())
    process.stderr.write(`✔ ${rows.at(-1)?.name}\n`)
  }
  show(rows)
} finally {
  for (const stop of stops) await stop()
  rmSync(stage, { recursive: true, force: true })
}
