// The Inspector's command prints the address at which the person signs in, listens for the redirect, and then runs the method.
import { spawn } from 'node:child_process'
import { send, serve } from './serve.mjs'

const { MCP_ADDRESS: address, CALLBACK_URL: callbackUrl } = process.env
const inspector = spawn(
  'npx',
  [
    '@modelcontextprotocol/inspector',
    '--cli',
    address,
    '--transport',
    'http',
    '--callback-url',
    callbackUrl,
    '--method',
    'tools/list',
  ],
  // Without a terminal, it asks nobody to sign in unless it may open a browser. There is none, so it only prints the address.
  { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, MCP_AUTO_OPEN_ENABLED: 'true' } },
)
let printed = ''
let result = ''
let isAnnounced = false
inspector.stdout.on('data', chunk => (result += String(chunk)))
inspector.stderr.on('data', chunk => {
  printed += String(chunk)
  const [, url] = /(https?:\/\/[^\s?]+\/authorize\?[\w.~%&=+:/-]+)[^\w.~%&=+:/-]/.exec(printed) ?? []
  if (!url || isAnnounced) return
  isAnnounced = true
  send({ event: 'authorize', url })
})
const ended = new Promise(resolve => inspector.once('close', resolve))

await serve({
  list: async () => {
    const status = await ended
    if (status !== 0) throw new Error(printed)
    return JSON.parse(result).tools.map(({ name }) => name)
  },
  close: async () => {
    inspector.kill()
    await ended
  },
})
