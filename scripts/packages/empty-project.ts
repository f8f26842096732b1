import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A project outside of this repository, as a user has it, with an environment that contains only what npm needs. */
export type EmptyProject = {
  folder: string
  environment: Record<string, string>
  install(packages: readonly string[]): Promise<void>
  write(file: string, content: string): void
  node(args: readonly string[], environment?: Record<string, string>): Promise<string>
  remove(): void
}

export const createProject = (): EmptyProject => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-project-'))
  const environment = minimalEnvironment(folder)
  const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024 }
  const write = (file: string, content: string) => writeFileSync(join(folder, file), content)
  write('package.json', '{ "name": "app", "version": "1.0.0", "private": true, "type": "module" }\n')
  return {
    folder,
    environment,
    write,
    install: async packages => {
      await run('npm', ['install', '--no-audit', '--no-fund', ...packages], options)
    },
    node: async (args, more = {}) => {
      const started = run(process.execPath, [...args], { ...options, env: { ...environment, ...more } })
      const { stdout } = await started.catch((error: { stdout: string; stderr: string; message: string }) => {
        throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`, { cause: error })
      })
      return stdout
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** How npm reaches the registry is a property of the machine; all other settings are absent. */
const PASSED_ON = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SystemRoot|TEMP|TMP)$/i

export const minimalEnvironment = (home: string): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined,
    ),
  ),
  HOME: home,
  PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim(),
  npm_config_update_notifier: 'false',
})
