// The Inspector is a command: each action runs it once.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { send, serve } from './serve.mjs'

const SCRIPT = join(import.meta.dirname, 'inspector.sh')
const MAX_OUTPUT = 32 * 1024 * 1024

const inspect = (...args) =>
  new Promise((resolve, reject) =>
    execFile('sh', [SCRIPT, ...args], { maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) =>
      stdout ? resolve({ ...JSON.parse(stdout), stderr }) : reject(new Error(stderr, { cause: error })),
    ),
  )

await serve({
  list: async () => {
    const { tools, stderr } = await inspect('--method', 'tools/list', '--strict')
    send({ event: 'validated', text: stderr })
    return tools.map(({ name }) => name)
  },
  call: ({ name, args }) =>
    inspect('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
})
