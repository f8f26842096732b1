import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** System packages that the tests need. They are installed with apt if possible; otherwise the missing ones are listed. */
const isRoot = (): boolean => process.getuid?.() === 0

const DEBIAN_FOLDER = '/usr/lib/postgresql'

export const findPostgres = (): string | null => {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).filter(v => Number(v) >= 15) : []
  const folders = versions.toSorted((a, b) => Number(b) - Number(a)).map(v => join(DEBIAN_FOLDER, v, 'bin'))
  const onPath = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.trim()
  if (onPath) folders.push(join(onPath, '..'))
  return (
    folders.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pgbench'))) ?? null
  )
}

const CHROMIUM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export const findChromium = (): string | null => CHROMIUM_PATHS.find(path => existsSync(path)) ?? null

const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/** The headless shell of Chromium, which uses less CPU. Falls back to Chromium. */
export const findHeadlessChromium = (): string | null =>
  existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : findChromium()

/** Debian installs servers here, and an ordinary user's PATH does not contain these folders. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** `PATH` with the folders of system programs, at its end. */
export const withSystemFolders = (path = ''): string => {
  const folders = path.split(delimiter).filter(folder => folder !== '')
  return [...folders, ...SYSTEM_FOLDERS.filter(folder => !folders.includes(folder))].join(delimiter)
}

const isOnPath = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0

const aptInstall = (packages: string[]): void => {
  process.stderr.write(`Installing ${packages.join(', ')} (once) …\n`)
  // In this runlevel, packages do not start their services.
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const apt = (...args: string[]) =>
    execFileSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment })
  apt('-qq', 'update')
  apt('-qq', 'install', '-y', '--no-install-recommends', ...packages)
}

const aptInstallIfAvailable = (name: string): void => {
  spawnSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', name], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/** Commands, and the Debian packages that contain them. */
const COMMANDS = {
  openssl: 'openssl',
  haproxy: 'haproxy',
  nginx: 'nginx',
  caddy: 'caddy',
  pgbouncer: 'pgbouncer',
  kubectl: 'kubernetes-client',
  'systemd-analyze': 'systemd',
  promtool: 'prometheus',
}

/** `more`: commands that only some programs need, and their packages. */
const missingTools = (more: Record<string, string>): string[] => [
  ...(findPostgres() ? [] : ['postgresql', 'postgresql-contrib']),
  ...(findChromium() ? [] : ['chromium', 'fonts-dejavu-core']),
  ...Object.entries({ ...COMMANDS, ...more }).flatMap(([command, name]) => (isOnPath(command) ? [] : [name])),
]

export const ensureTools = (more: Record<string, string> = {}): void => {
  // The programs and test files that this process starts inherit it.
  process.env.PATH = withSystemFolders(process.env.PATH)
  const wanted = missingTools(more)
  if (wanted.length > 0 && isRoot() && existsSync('/usr/bin/apt-get')) {
    aptInstall(wanted)
    // Optional: not every distribution has the package.
    if (wanted.includes('chromium')) aptInstallIfAvailable('chromium-headless-shell')
    // The completion of commands is tested in the shells that are installed.
    for (const shell of ['zsh', 'fish']) if (!isOnPath(shell)) aptInstallIfAvailable(shell)
  }
  const missing = missingTools(more)
  if (missing.length === 0) return
  process.stderr.write(
    `The tests run against a real PostgreSQL (15 or newer, with pgbench), Chromium, load balancers, PgBouncer, kubectl, promtool and systemd's tools. Please install: ${missing.join(', ')}\n` +
      `  Debian, Ubuntu:  sudo apt-get install ${missing.join(' ')}\n`,
  )
  process.exit(1)
}
