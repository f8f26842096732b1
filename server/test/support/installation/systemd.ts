import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitCommands } from '../../documentation/shell-commands.ts'
import { copyPackages, copyTree } from './copied-tree.ts'
import { readLockedPackages, runtimePackages } from './locked-packages.ts'
import { type InstalledProcess, NOBODY } from './run-installed.ts'

/** The commands of docs/operate/deployment.md before and after the unit is started. */
export const readSystemdGuide = (root: string): { before: string[]; after: string[] } => {
  const page = readFileSync(join(root, 'docs/operate/deployment.md'), 'utf8')
  const [, code = ''] = /## With systemd\n\n```sh\n(.*?)```/s.exec(page) ?? []
  const commands = splitCommands(code)
  const start = commands.findIndex(command => command.startsWith('systemctl '))
  return { before: commands.slice(0, start), after: commands.slice(start + 1) }
}

/** The command that installs the packages in a clone. */
export const installCommand = ({ before }: { before: string[] }): string =>
  before.find(command => command.startsWith('npm ')) ?? ''

/** The workspaces whose packages the unit's commands load. */
const WORKSPACES = ['server', 'packages/cli', 'apps/carabiner']

/** What `git clone` and the guide's npm commands leave, made from this clone and its packages without running npm. */
export const layOutClone = (root: string, to: string): void => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  for (const path of tracked.filter(each => each !== '' && existsSync(join(root, each))))
    copyTree(join(root, path), join(to, path))
  const packages = runtimePackages(readLockedPackages(root), WORKSPACES)
  copyPackages(root, packages, to)
  for (const site of ['dashboard/dist', 'docs/.vitepress/dist']) copyTree(join(root, site), join(to, site))
}

export type SystemdInstallation = {
  /** The environment, user and folder that the unit gives to its commands. */
  unit: InstalledProcess
  migrate: string[]
  start: string[]
  /** The installed command line. */
  cli: string
}

/**
 * Runs the guide's commands between the installation of the packages and the start of the unit, with the folders of the machine below
 * `folder`. Accounts are not created: the user is one that owns nothing.
 */
export const followSystemdGuide = (
  folder: string,
  { databaseUrl, port }: { databaseUrl: string; port: number },
  { before }: { before: string[] },
): SystemdInstallation => {
  const app = join(folder, 'opt')
  const paths: [name: string, here: string][] = [
    ['/opt/carabiner', app],
    ['/etc/carabiner', join(folder, 'etc')],
    ['/var/lib/carabiner', join(folder, 'state/carabiner')],
    ['/usr/local/sbin/carabiner', join(folder, 'sbin/carabiner')],
    ['/usr/bin/node', process.execPath],
    ['runuser -u carabiner -- ', NOBODY ? 'setpriv --reuid=65534 --regid=65534 --clear-groups ' : ''],
    ['-o carabiner -g carabiner', NOBODY ? '-o 65534 -g 65534' : ''],
    ['postgres://carabiner:…@127.0.0.1:5432/carabiner', databaseUrl],
  ]
  const here = (text: string): string => paths.reduce((done, [from, to]) => done.replaceAll(from, to), text)

  const wrapper = join(app, 'deploy/systemd/carabiner')
  writeFileSync(wrapper, here(readFileSync(wrapper, 'utf8')))
  for (const name of ['sbin', 'state', 'credentials']) mkdirSync(join(folder, name), { mode: 0o755 })
  const isRun = (command: string): boolean => !/^(useradd|git|npm|cp) /.test(command)
  const script = before.filter(isRun).map(here)
  const create = script.findIndex(command => command.startsWith('carabiner '))
  const settings = `printf "PORT=${port}\\nDRAIN_DELAY=0\\n" >> ${join(folder, 'etc/environment')}`
  execFileSync('bash', ['-euc', [...script.slice(0, create), settings, ...script.slice(create)].join('\n')], {
    cwd: app,
    env: { PATH: `${join(folder, 'sbin')}:${process.env.PATH}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return readUnit(folder, app, here)
}

/** The commands of the unit, with the credential that systemd would provide. */
const readUnit = (folder: string, app: string, here: (text: string) => string): SystemdInstallation => {
  const unit = readFileSync(join(app, 'deploy/systemd/carabiner.service'), 'utf8')
  const valuesOf = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const credential = join(folder, 'credentials/database-url')
  cpSync(join(folder, 'etc/database-url'), credential)
  if (NOBODY) chownSync(credential, NOBODY.uid, NOBODY.gid)
  chmodSync(credential, 0o400)
  const pairs = [
    ...valuesOf('Environment'),
    ...readFileSync(join(folder, 'etc/environment'), 'utf8').split('\n'),
  ]
  const environment = Object.fromEntries(
    pairs
      .filter(pair => pair.includes('='))
      .map(pair => pair.replace('%S', join(folder, 'state')).replace('%d', join(folder, 'credentials')))
      .map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  return {
    unit: { cwd: app, environment, user: NOBODY },
    migrate: here(valuesOf('ExecStartPre')[0] ?? '').split(' '),
    start: here(valuesOf('ExecStart')[0] ?? '').split(' '),
    cli: join(folder, 'sbin/carabiner'),
  }
}
