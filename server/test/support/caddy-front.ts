import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runBalancer, stopBalancer } from './load-balancers.ts'

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/caddy/Caddyfile')

/** Starts Caddy with `deploy/caddy/Caddyfile` on a port of loopback, without TLS and with frequent health checks. */
export const startCaddyFront = async (
  port: number,
  nodePorts: readonly number[],
): Promise<{ stop(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-caddy-'))
  const replacements: [RegExp, string][] = [
    [/^link\.example\.com \{/m, `{\n\tadmin off\n}\n\nhttp://127.0.0.1:${port} {`],
    [
      /reverse_proxy( 10\.0\.0\.\d+:4000)+/,
      `reverse_proxy ${nodePorts.map(node => `localhost:${node}`).join(' ')}`,
    ],
    [/health_interval \S+/, 'health_interval 200ms'],
  ]
  let text = readFileSync(CONFIGURATION, 'utf8')
  for (const [pattern, replacement] of replacements) {
    if (!pattern.test(text)) throw new Error(`Caddyfile does not contain ${pattern.source}`)
    text = text.replace(pattern, replacement)
  }
  const path = join(folder, 'Caddyfile')
  writeFileSync(path, text)
  const child = await runBalancer('caddy', ['run', '--adapter', 'caddyfile', '--config', path], port, {
    ...process.env,
    HOME: folder,
  })
  return {
    stop: async () => {
      await stopBalancer(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
