import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

const APPLY_MAP = join(import.meta.dirname, 'apply-map.ts')
const CONFIGURATIONS = join(import.meta.dirname, '../../../deploy/cells')

/** Ports on loopback, and a folder for the files of the load balancer. */
export type LoadBalancerSetup = { folder: string; port: number; mapPath: string; cellPorts: [number, number] }

export type LoadBalancer = {
  name: string
  /** Routes a code to another cell, by the way that the documentation describes. The map file was changed before. */
  applyMap(code: string, cell: string): Promise<void>
  /** A shell command that applies the whole map file, for codes that the load balancer has already. */
  reloadCommand: string
  stop(): Promise<void>
}

/** The configuration in `deploy/cells` with the addresses, files and certificate of this test. */
const configure = (file: string, setup: LoadBalancerSetup, replacements: [RegExp, string][]): string => {
  const [first, second] = setup.cellPorts
  const all: [RegExp, string][] = [
    [/10\.0\.1\.11:4000/g, `127.0.0.1:${first}`],
    [/10\.0\.2\.11:4000/g, `127.0.0.1:${second}`],
    [/\/etc\/(?:haproxy|nginx)\/cells\.map/g, setup.mapPath],
    ...replacements,
  ]
  let text = readFileSync(join(CONFIGURATIONS, file), 'utf8')
  for (const [pattern, replacement] of all) {
    if (!new RegExp(pattern.source).test(text)) throw new Error(`${file} does not contain ${pattern.source}`)
    text = text.replaceAll(new RegExp(pattern.source, 'g'), replacement)
  }
  const path = join(setup.folder, file)
  writeFileSync(path, text)
  return path
}

export const runBalancer = async (
  command: string,
  args: string[],
  port: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChildProcess> => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let output = ''
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (output += String(chunk)))
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`${command} ended with ${code}: ${output}`)))
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  // The probes are not served through every load balancer. A node refuses a request without a key.
  const ready = eventually(async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/api/v1/organization`)
    if (status !== 401) throw new Error(`not ready, status ${status}: ${output}`)
  })
  await Promise.race([ready, failed])
  failed.catch(() => undefined)
  return child
}

export const stopBalancer = async (child: ChildProcess): Promise<void> => {
  const exited = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await exited
  clearTimeout(timer)
}

export const sendCommand = (socketPath: string, command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(socketPath, () => socket.end(`${command}\n`))
    socket.on('data', chunk => (answer += String(chunk)))
    socket.once('close', () => resolve(answer)).once('error', reject)
  })

export const startHaproxy = async (setup: LoadBalancerSetup): Promise<LoadBalancer> => {
  const socketPath = join(setup.folder, 'admin.sock')
  const path = configure('haproxy.cfg', setup, [
    [/\/run\/haproxy\/admin\.sock/, socketPath],
    [/bind :443 .*/, `bind 127.0.0.1:${setup.port}`],
  ])
  const child = await runBalancer('haproxy', ['-db', '-f', path], setup.port)
  return {
    name: 'haproxy',
    reloadCommand: [process.execPath, APPLY_MAP, socketPath, setup.mapPath].join(' '),
    applyMap: async (code, cell) => {
      const answer = await sendCommand(socketPath, `set map ${setup.mapPath} ${code} ${cell}`)
      if (answer.trim() !== '') throw new Error(answer)
    },
    stop: () => stopBalancer(child),
  }
}

export const startNginx = async (setup: LoadBalancerSetup): Promise<LoadBalancer> => {
  const { folder } = setup
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(folder, name)};`)
    .join(' ')
  const path = configure('nginx.conf', setup, [
    [/listen 443 .*/, `listen 127.0.0.1:${setup.port};`],
    [/ssl_certificate\w* .*/, ''],
    [/access_log [^ ]*/, `${temporary} access_log ${join(folder, 'access.log')}`],
  ])
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} daemon off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')};`
  const child = await runBalancer(
    'nginx',
    ['-c', path, '-e', join(folder, 'error.log'), '-g', main],
    setup.port,
  )
  return {
    name: 'nginx',
    reloadCommand: `kill -HUP ${child.pid}`,
    applyMap: async () => void child.kill('SIGHUP'),
    stop: () => stopBalancer(child),
  }
}
