// Runs before every npm script, under whatever node the machine has: installs packages when the lockfile changed, and
// makes sure that what follows runs on the Node this project is written for. It depends on nothing but node itself.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stampFile = join(root, 'node_modules', '.carabiner-installed')
const REQUIRED_MAJOR = 24

const fingerprint = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`)
  .digest('hex')

const installed = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint
if (!installed) {
  const startedAt = Date.now()
  process.stderr.write('Installing packages (once; about half a minute) …\n')
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (result.status !== 0) {
    process.stderr.write('Installing packages failed; the lines above say why.\n')
    process.exit(result.status ?? 1)
  }
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, fingerprint)
  process.stderr.write(`Packages installed in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`)
}

const shipped = join(root, 'node_modules', '.bin', 'node')
const node = existsSync(shipped) ? shipped : process.execPath
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
if (Number(version.slice(1).split('.')[0]) < REQUIRED_MAJOR) {
  process.stderr.write(
    `Carabiner runs on Node ${REQUIRED_MAJOR} or newer. No binary is shipped for ${process.platform}-${process.arch}, ` +
      `and the node on this machine is ${version}. Install Node ${REQUIRED_MAJOR} and run the command again.\n`,
  )
  process.exit(1)
}
