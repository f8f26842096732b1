import { spawn } from 'node:child_process'
import type { Environment } from '../program/cli-context.ts'

/** The keychain of the operating system, used through its own program. */
export type Keychain = {
  store(profile: string, key: string): Promise<boolean>
  find(profile: string): Promise<string | null>
  remove(profile: string): Promise<void>
}

const SERVICE = 'carabiner'
/** The keychain may ask the person to unlock it. */
const TIMEOUT_MS = 60_000

type Finished = { code: number | null; output: string }

/** Secrets are passed through standard input, because other accounts can read the arguments of a process. */
const run = (command: string, args: string[], input: string, environment: Environment): Promise<Finished> =>
  new Promise(resolve => {
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: environment,
      timeout: TIMEOUT_MS,
    })
    let output = ''
    child.stdout.on('data', chunk => (output += String(chunk)))
    child.stdin.on('error', () => undefined)
    child.on('error', () => resolve({ code: null, output: '' }))
    child.on('close', code => resolve({ code, output }))
    child.stdin.end(input)
  })

/** Names of profiles contain no spaces or quotes, so they need no quoting in the commands of `security`. */
const macosKeychain = (environment: Environment): Keychain => ({
  store: async (profile, key) => {
    const hex = Buffer.from(key).toString('hex')
    const command = `add-generic-password -U -s ${SERVICE} -a ${profile} -X ${hex}\n`
    const { code } = await run('security', ['-i'], command, environment)
    return code === 0
  },
  find: async profile => {
    const args = ['find-generic-password', '-s', SERVICE, '-a', profile, '-w']
    const { code, output } = await run('security', args, '', environment)
    return code === 0 ? output.trim() || null : null
  },
  remove: async profile => {
    await run('security', ['delete-generic-password', '-s', SERVICE, '-a', profile], '', environment)
  },
})

const secretTool = (environment: Environment): Keychain => {
  const attributes = (profile: string) => ['service', SERVICE, 'profile', profile]
  return {
    store: async (profile, key) => {
      const args = ['store', `--label=Carabiner ${profile}`, ...attributes(profile)]
      const { code } = await run('secret-tool', args, key, environment)
      return code === 0
    },
    find: async profile => {
      const { code, output } = await run('secret-tool', ['lookup', ...attributes(profile)], '', environment)
      return code === 0 ? output.trim() || null : null
    },
    remove: async profile => {
      await run('secret-tool', ['clear', ...attributes(profile)], '', environment)
    },
  }
}

/** Null: this system has no keychain that the command line supports. */
export const openKeychain = (environment: Environment): Keychain | null => {
  if (process.platform === 'darwin') return macosKeychain(environment)
  // Without a session bus, secret-tool cannot reach a keyring.
  if (process.platform === 'linux' && environment.DBUS_SESSION_BUS_ADDRESS) return secretTool(environment)
  return null
}
