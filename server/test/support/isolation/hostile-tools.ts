import { Worker } from 'node:worker_threads'

export type HostileTools = {
  url: string
  /** Whether `tools/list` also contains nearly 1 MB of suspicious descriptions. */
  showLargeList(shown: boolean): void
  /** Responds to hanging calls. The service awaits them even after their callers have disconnected. */
  releaseCalls(): void
  stop(): Promise<void>
}

export type Command = { showLargeList: boolean } | 'releaseCalls'

/** Runs in a separate thread, so that its work is not attributed to the service. */
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
    releaseCalls: () => send('releaseCalls'),
    stop: async () => void (await worker.terminate()),
  }
}
