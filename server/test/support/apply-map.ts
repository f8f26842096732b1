import { readFileSync } from 'node:fs'
import { sendCommand } from './load-balancers.ts'

/** `node apply-map.ts SOCKET MAP`: sets the entries of a map file in a running HAProxy. */
const [socketPath = '', mapPath = ''] = process.argv.slice(2)
for (const line of readFileSync(mapPath, 'utf8').split('\n')) {
  if (line === '' || line.startsWith('#')) continue
  const answer = (await sendCommand(socketPath, `set map ${mapPath} ${line}`)).trim()
  if (answer !== '') {
    process.stderr.write(`${line}: ${answer}\n`)
    process.exitCode = 1
  }
}
