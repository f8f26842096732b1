import { parseArgs } from 'node:util'
import { startSandbox } from './index.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4001' },
    host: { type: 'string', default: '127.0.0.1' },
    'redirect-uri': { type: 'string', multiple: true, default: ['http://localhost:4000/callback'] },
    'client-id': { type: 'string', default: 'sandbox-client' },
    'client-secret': { type: 'string', default: 'sandbox-secret' },
    'client-name': { type: 'string', default: 'Orbit' },
    'access-token-seconds': { type: 'string', default: '3600' },
    'state-file': { type: 'string' },
  },
})

const sandbox = await startSandbox({
  port: Number(values.port),
  host: values.host,
  client: {
    id: values['client-id'],
    secret: values['client-secret'],
    name: values['client-name'],
    redirectUris: values['redirect-uri'],
  },
  accessTokenSeconds: Number(values['access-token-seconds']),
  ...(values['state-file'] ? { stateFile: values['state-file'] } : {}),
})
console.log(`sandbox listening on ${sandbox.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sandbox.close())
}
