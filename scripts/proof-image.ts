import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Instruction, parseDockerfile } from '../server/test/support/dockerfile.ts'
import { eventually } from '../server/test/support/eventually.ts'
import {
  copyContext,
  copyTree,
  parseCopy,
  targetOf,
} from '../server/test/support/installation/copied-tree.ts'
import { signInFirstMember } from '../server/test/support/installation/first-member.ts'
import { ensureTools } from './machine.ts'
import { freePort, startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:image`: runs the steps of deploy/docker/Dockerfile in a Debian root of this architecture instead of the base image, which
 * has Node and npm in addition, then migrates a database, starts the service in it as the image's user, and signs a member in. Needs root
 * and Linux. server/test/deploy/installations.test.ts is the short form.
 */
const ROOT = join(import.meta.dirname, '..')
const DOCKERFILE = join(ROOT, 'deploy/docker/Dockerfile')
const MIRROR = readMirror()

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** The mirror of this machine, if it has one. */
function readMirror(): string {
  const sources = ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources'].filter(existsSync)
  const text = sources.map(path => readFileSync(path, 'utf8')).join('\n')
  return /(?:^deb(?: \[[^\]]*\])?|URIs:) +(\S+)/m.exec(text)?.[1] ?? 'http://deb.debian.org/debian'
}

type Stage = { name: string; root: string; cwd: string; env: Record<string, string>; user: string }

/** A Debian root with Node and npm, like the base image. */
const createBase = (folder: string): string => {
  const base = join(folder, 'base')
  execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base, MIRROR], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const npm = execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim()
  cpSync(process.execPath, join(base, 'usr/local/bin/node'))
  cpSync(join(npm, 'npm'), join(base, 'usr/local/lib/node_modules/npm'), { recursive: true })
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm')])
  // As in the image of Node.
  execFileSync('chroot', [base, 'useradd', '--uid', '1000', '--create-home', 'node'])
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) cpSync(file, join(base, file), { dereference: true })
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  if (certificates) cpSync(certificates, join(base, CERTIFICATES))
  return base
}

const chrootCommand = ({ root, cwd, env, user }: Stage, command: string[]): [string, string[]] => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const inside = ['env', '-i', ...variables, 'sh', '-c', `cd "${cwd}" && exec "$@"`, 'sh', ...command]
  return ['chroot', [`--userspec=${user}`, root, ...inside]]
}

const runIn = (stage: Stage, command: string[]): string => {
  const [program, args] = chrootCommand(stage, command)
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

const CERTIFICATES = '/etc/ssl/extra-certificates.pem'

/** How npm reaches the registry from here. */
const npmEnvironment = (): Record<string, string> => ({
  HOME: '/root',
  ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: CERTIFICATES }),
  npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim(),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(https?_proxy|no_proxy)$/i.test(name)) as [
      string,
      string,
    ][],
  ),
})

const copy = (stage: Stage, stages: Stage[], value: string): void => {
  const { stage: from, sources, target } = parseCopy(value)
  for (const source of sources) {
    const path = targetOf(source, target)
    const to = join(stage.root, path.startsWith('/') ? path : join(stage.cwd, path))
    const root = from && stages.find(({ name }) => name === from)?.root
    if (root) copyTree(join(root, source), to)
    else copyContext(ROOT, source, to)
  }
}

const BASE_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin' }

const execute = (folder: string, base: string, instructions: Instruction[]): Stage => {
  const stages: Stage[] = []
  for (const { name, value } of instructions) {
    const stage = stages.at(-1) as Stage
    if (name !== 'COPY') print(`  ${name} ${value}`)
    switch (name) {
      case 'FROM': {
        const root = join(folder, `stage-${stages.length}`)
        execFileSync('cp', ['-a', base, root])
        stages.push({
          name: value.split(' AS ')[1] ?? '',
          root,
          cwd: '/',
          env: BASE_ENVIRONMENT,
          user: '0:0',
        })
        break
      }
      case 'WORKDIR':
        stage.cwd = value
        mkdirSync(join(stage.root, value), { recursive: true })
        break
      case 'COPY':
        copy(stage, stages, value)
        break
      case 'RUN':
        runIn({ ...stage, env: { ...stage.env, ...npmEnvironment() } }, ['sh', '-c', value])
        break
      case 'ENV':
        stage.env = { ...stage.env, ...Object.fromEntries(value.split(' ').map(pair => pair.split('='))) }
        break
      case 'USER':
        stage.user = value
        break
    }
  }
  return stages.at(-1) as Stage
}

const findWritable = (image: Stage): string[] =>
  runIn(image, ['sh', '-c', 'find / -xdev -writable -type d 2>/dev/null || true'])
    .split('\n')
    .filter(
      path =>
        path !== '' && !/^\/(proc|dev|sys|run\/lock|tmp|var\/tmp|home\/node|var\/lib\/carabiner)/.test(path),
    )

const prove = async (folder: string, opened: AsyncDisposableStack): Promise<void> => {
  print('creating a Debian root …')
  const base = createBase(folder)
  const instructions = parseDockerfile(readFileSync(DOCKERFILE, 'utf8'))
  const image = execute(folder, base, instructions)
  const writable = findWritable(image)
  if (writable.length > 0) throw new Error(`the image's user can write to ${writable.join(', ')}`)

  const cluster = await startCluster()
  opened.defer(() => cluster.stop())
  const port = await freePort()
  const settings = {
    BASE_URL: 'https://link.example.com',
    TRUST_PROXY: 'loopback',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: `${cluster.url}/postgres`,
    DRAIN_DELAY: '0',
  }
  const configured = { ...image, env: { ...image.env, ...settings } }
  const cli = (...words: string[]) =>
    runIn(configured, ['node', 'apps/carabiner/bin/carabiner.mjs', ...words])
  print(cli('vault-key', 'create').trim())
  print(cli('migrate').trim())
  const [program, args] = chrootCommand(configured, ['node', 'server/src/main.ts', '--no-migrate'])
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  opened.defer(async () => void child.kill('SIGKILL'))
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    if (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) throw new Error('not ready')
  }, 60_000)
  await signInFirstMember({ cli, origin: `http://127.0.0.1:${port}`, publicUrl: settings.BASE_URL })
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  const code = await exited
  if (code !== 0) throw new Error(`the service ended with ${code} after SIGTERM`)
}

ensureTools({ debootstrap: 'debootstrap' })
if (process.getuid?.() !== 0) throw new Error('chroot needs root')
const folder = mkdtempSync(join(tmpdir(), 'carabiner-image-'))
const opened = new AsyncDisposableStack()
const failure = await prove(folder, opened).then(
  () => null,
  (error: Error) => error,
)
await opened.disposeAsync()
rmSync(folder, { recursive: true, force: true })
if (failure) {
  process.stderr.write(`✖ ${failure.stack ?? failure.message}\n`)
  process.exit(1)
}
print('✔ the steps of the Dockerfile work, a member signs in, and the service stops in the image')
process.exit(0)
