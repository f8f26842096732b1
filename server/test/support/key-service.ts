import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DataKey, newDataKey, seal, unseal } from '../../src/platform/vault/sealing.ts'

/** A key service with the API of the example in docs/security/key-services.md. */
export type KeyService = {
  url: string
  /** Requests by action, such as `decrypt`. */
  requests: string[]
  fails: boolean
  /** Requests are held until this resolves. */
  held: Promise<void> | undefined
  createKey(name: string): void
  deleteKey(name: string): void
  close(): Promise<void>
}

const CONTEXT = ['key-service'] as const

export const startKeyService = async (token: string): Promise<KeyService> => {
  const keys = new Map<string, DataKey>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const [, , name = '', action = ''] = request.url?.split('/') ?? []
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    service.requests.push(action)
    await service.held
    const key = keys.get(decodeURIComponent(name))
    if (service.fails || !key || request.headers.authorization !== `Bearer ${token}`)
      return response.writeHead(service.fails ? 500 : 403).end()
    const bytes = Buffer.from(JSON.parse(Buffer.concat(parts).toString()).data, 'base64')
    const result = action === 'encrypt' ? seal(key, bytes, CONTEXT) : unseal(key, bytes, CONTEXT)
    return response.end(JSON.stringify({ data: result.toString('base64') }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const service: KeyService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fails: false,
    held: undefined,
    createKey: name => void keys.set(name, newDataKey()),
    deleteKey: name => void keys.delete(name),
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
  return service
}
