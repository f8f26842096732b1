// `node scripts/run.mjs [node options] FILE [arguments]`: behind every npm script. It runs on whatever Node the machine has,
// installs the packages when the lockfile has changed, and runs FILE on a Node that this project supports: the machine's
// own if it is new enough, otherwise the one from the registry. Before the service and the tests it builds the dashboard and
// the documentation when their sources have changed. It imports nothing but Node's own modules.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const MIN_VERSION = [24, 12]
const isWindows = process.platform === 'win32'

const fail = message => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** An account that may not write here runs what the owner has installed and built. */
const explainDenied = error => {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error
  fail(
    `${error.path} cannot be written (${error.code}). Run this command as the owner of ${root}. To run the service as another account, install and build as the ` +
      'owner (npm ci && npm run build), then start it with: node server/src/main.ts',
  )
}

const installPackages = () => {
  const stampFile = join(root, 'node_modules', '.carabiner-installed')
  const fingerprint = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint) return
  const startedAt = Date.now()
  process.stderr.write('Installing packages (once; about half a minute) …\n')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // On Windows npm is a batch file, which only a shell runs.
    shell: isWindows,
  })
  if (status !== 0) fail('The packages could not be installed; see the lines above.')
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, fingerprint)
  process.stderr.write(`Packages installed in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`)
}

const isSupported = version => {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])
}

/** npm puts node_modules/.bin first in PATH, so this process may already be the Node from the registry. */
const findNode = () => {
  if (isSupported(process.version)) return process.execPath
  const folder = join(root, 'node_modules', `node-${isWindows ? 'win' : process.platform}-${process.arch}`)
  const shipped = join(folder, 'bin', isWindows ? 'node.exe' : 'node')
  if (existsSync(shipped) && isSupported(execFileSync(shipped, ['--version'], { encoding: 'utf8' })))
    return shipped
  return fail(
    `Carabiner runs on Node ${MIN_VERSION.join('.')} or newer, and this is ${process.version}. The npm registry has no Node for ` +
      `${process.platform}-${process.arch}: install Node 24 from your package manager (for example "brew install node@24" or ` +
      '"winget install OpenJS.NodeJS.LTS"), then run the command again.',
  )
}

/** Entry points that serve or test the dashboard and the documentation. */
const USES_SITES = [
  'server/src/main.ts',
  'scripts/test.ts',
  'e2e/proof/dashboard/main.ts',
  'bench/src/docs/main.ts',
  'scripts/packages/pack.ts',
  'scripts/packages/proof.ts',
  'scripts/packages/release.ts',
  'scripts/proof-quickstarts.ts',
  'e2e/proof/screenshots.ts',
]
const DASHBOARD = {
  name: 'dashboard',
  sources: [
    'package-lock.json',
    'dashboard/index.html',
    'dashboard/sign-in.html',
    'dashboard/vite.config.ts',
    'dashboard/public',
    'dashboard/src',
    'packages/sdk/src',
    'packages/contract/src',
  ],
  output: 'dashboard/dist',
  command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  folder: 'dashboard',
}
const DOCUMENTATION = {
  name: 'documentation',
  // Some pages include these files.
  sources: [
    'package-lock.json',
    'docs',
    'dashboard/src/colors.css',
    'SECURITY.md',
    'packages/sdk/README.md',
    'packages/link/README.md',
    'packages/detection/README.md',
    'apps/testing/README.md',
  ],
  output: 'docs/.vitepress/dist',
  command: ['node_modules/vitepress/bin/vitepress.js', 'build'],
  folder: 'docs',
}
const NOT_SOURCES = ['node_modules', 'dist', 'cache', '.temp']

const hashSources = sources => {
  const hash = createHash('sha256')
  const add = path => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).toSorted()) if (!NOT_SOURCES.includes(name)) add(join(path, name))
    } else hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  }
  for (const source of sources) add(join(root, source))
  return hash.digest('hex')
}

const isRunning = id => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

/** Two builds at a time would delete each other's files. The file contains the ID of the process that builds. */
const acquireBuildLock = async name => {
  const file = join(root, 'node_modules', `.carabiner-building-${name}`)
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      const release = () => rmSync(file, { force: true })
      process.once('exit', release)
      return release
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const builder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
      if (builder > 0 && !isRunning(builder)) rmSync(file, { force: true })
      else await delay(200)
    }
  }
}

const buildSite = async (node, site, options = {}) => {
  try {
    const release = await acquireBuildLock(site.name)
    try {
      return await buildIfChanged(node, site, options)
    } finally {
      release()
    }
  } catch (error) {
    return explainDenied(error)
  }
}

/** Returns whether the build is up to date. The fingerprint is written last, so an interrupted build is repeated. */
const buildIfChanged = async (node, site, { isBackground = false }) => {
  const {
    name,
    sources,
    output,
    command: [script, ...args],
    folder,
  } = site
  const stampFile = join(root, output, '.fingerprint')
  const fingerprint = hashSources(sources)
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint) return true
  const startedAt = Date.now()
  process.stderr.write(`Building the ${name} (once; about ten seconds) …\n`)
  const { status, text } = await run(node, [join(root, script), ...args], join(root, folder), isBackground)
  if (status !== 0) {
    process.stderr.write(text)
    return false
  }
  writeFileSync(stampFile, fingerprint)
  process.stderr.write(`Built the ${name} in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`)
  return true
}

const run = (node, args, cwd, isBackground) =>
  new Promise(done => {
    const builder = spawn(node, args, { cwd, env: { ...process.env, NODE_ENV: 'production' } })
    // The service starts first.
    if (isBackground && builder.pid !== undefined) setPriority(builder.pid, constants.priority.PRIORITY_LOW)
    let text = ''
    for (const stream of [builder.stdout, builder.stderr]) stream.on('data', chunk => (text += chunk))
    builder.on('error', error => done({ status: 1, text: `${error.message}\n` }))
    builder.on('close', status => done({ status, text }))
    process.on('exit', () => builder.kill())
  })

try {
  installPackages()
} catch (error) {
  explainDenied(error)
}
const node = findNode()
const entryPoint = process.argv.slice(2).find(argument => !argument.startsWith('-'))
const usesSites = USES_SITES.some(
  path => entryPoint !== undefined && resolve(entryPoint) === join(root, path),
)
if (usesSites && entryPoint.endsWith('server/src/main.ts')) {
  // The API works without them; their addresses then answer with an explanation. The documentation is built while the service runs.
  const warn = name => isBuilt =>
    isBuilt || process.stderr.write(`The ${name} could not be built; the service runs without it.\n`)
  await buildSite(node, DASHBOARD).then(warn(DASHBOARD.name))
  void buildSite(node, DOCUMENTATION, { isBackground: true }).then(warn(DOCUMENTATION.name))
} else if (usesSites) {
  const results = await Promise.all([DASHBOARD, DOCUMENTATION].map(site => buildSite(node, site)))
  if (results.includes(false))
    fail('The dashboard or the documentation could not be built; see the lines above.')
}
const child = spawn(node, process.argv.slice(2), { stdio: 'inherit' })
// A terminal sends Ctrl-C to both processes; a supervisor sends its signal to this one only.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', error => fail(`${node} could not be started: ${error.message}`))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
