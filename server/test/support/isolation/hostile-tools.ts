import { Worker } from 'node:worker_threads'

export type HostileTools = {
  url: string
  /** Whether `tools/list` has nearly 1 MB of suspicious descriptions besides. */
  showLargeList(shown: boolean): void
  /** Answers calls that hang: the service waits for them although their callers have disconnected. */
  letGo(): void
  stop(): Promise<void>
}

export type Command = { showLargeList: boolean } | 'letGo'

/** In a thread of its own, so that its work is not measured as the service's. */
export const startHostileTools = async (): Promise<HostileTools> => {
  const worker = new Worker(new URL('./hostile-tools-server.ts', import.meta.url))
  const url = await new Promise<string>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const send = (command: Command): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(command)
  }
  return {
    url,
    showLargeList: shown => send({ showLargeList: shown }),
    letGo: () => send('letGo'),
    stop: async () => void (await worker.terminate()),
  }
}
