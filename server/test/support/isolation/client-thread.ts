import { parentPort } from 'node:worker_threads'
import type { ClientMessage, ClientRequest, ClientResponse } from './client.ts'

/** Entry point of a worker thread: sends HTTP requests and reports their status and error code. */
const sending = new Map<number, AbortController>()

type Body = { error?: { code?: string }; result?: { structuredContent?: { error?: { code?: string } } } }

const codeOf = (text: string): string | null => {
  if (text === '') return null
  const { error, result } = JSON.parse(text) as Body
  return error?.code ?? result?.structuredContent?.error?.code ?? null
}

const respond = (response: ClientResponse): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(response)
}

const send = async (id: number, { url, ...init }: ClientRequest): Promise<void> => {
  const stopping = new AbortController()
  sending.set(id, stopping)
  try {
    const response = await fetch(url, { ...init, signal: stopping.signal })
    respond({ id, status: response.status, code: codeOf(await response.text()) })
  } catch {
    respond({ id, status: null, code: null })
  } finally {
    sending.delete(id)
  }
}

parentPort?.on('message', (message: ClientMessage) => {
  if (message.kind === 'abort') sending.get(message.id)?.abort()
  else void send(message.id, message.request)
})
