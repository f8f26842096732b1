import { Worker } from 'node:worker_threads'

export type ClientRequest = {
  url: string
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}
/** `status` is null if the request was aborted or failed; `code` is that of the error in the response. */
export type ClientResponse = { id: number; status: number | null; code: string | null }
export type ClientMessage = { id: number } & ({ kind: 'send'; request: ClientRequest } | { kind: 'abort' })

export type Client = {
  send(request: ClientRequest, signal: AbortSignal): Promise<ClientResponse>
  stop(): Promise<void>
}

/** An HTTP client in a separate thread, so that its work is not attributed to the service. */
export const startClient = (): Client => {
  const worker = new Worker(new URL('./client-thread.ts', import.meta.url))
  const waiting = new Map<number, (response: ClientResponse) => void>()
  let requests = 0
  worker.on('message', (response: ClientResponse) => {
    waiting.get(response.id)?.(response)
    waiting.delete(response.id)
  })
  const post = (message: ClientMessage): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(message)
  }
  return {
    send: async (request, signal) => {
      const id = ++requests
      const abort = (): void => post({ id, kind: 'abort' })
      signal.addEventListener('abort', abort)
      post({ id, kind: 'send', request })
      const response = await new Promise<ClientResponse>(resolve => waiting.set(id, resolve))
      signal.removeEventListener('abort', abort)
      return response
    },
    stop: async () => void (await worker.terminate()),
  }
}
