import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import type { TestCertificate } from './certificates.ts'

export const TLS_VERSIONS = ['tls1_2', 'tls1_3'] as const

export type StrictTls = { port: number; stop(): Promise<void> }

/**
 * A server of OpenSSL that answers GET requests of clients with a certificate of the authority, and refuses all others with an alert, as vendors do.
 * Servers of Node.js only close the connection.
 */
export const startStrictTls = async ({
  server,
  authority,
  version = 'tls1_3',
  port,
}: {
  server: TestCertificate
  authority: TestCertificate
  version?: (typeof TLS_VERSIONS)[number]
  /** Default: a free one. */
  port?: number
}): Promise<StrictTls> => {
  const folder = mkdtempSync(join(tmpdir(), 'strict-tls-'))
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 })
    return join(folder, name)
  }
  const chosen = port ?? (await freePort())
  const child = spawn(
    'openssl',
    [
      's_server',
      '-quiet',
      '-www',
      `-${version}`,
      '-4',
      '-accept',
      `localhost:${chosen}`,
      '-cert',
      file('server.pem', server.certificate),
      '-key',
      file('server.key', server.privateKey),
      '-CAfile',
      file('authority.pem', authority.certificate),
      '-Verify',
      '2',
      '-verify_return_error',
    ],
    { stdio: ['ignore', 'ignore', 'ignore'] },
  )
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilOpen(chosen)
  } catch (error) {
    await stop()
    throw error
  }
  return { port: chosen, stop }
}

const MAX_ATTEMPTS = 100

const untilOpen = async (port: number): Promise<void> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await delay(100)
  }
  throw new Error('openssl s_server does not accept connections')
}
