import { Agent, request } from 'undici'

/** The reference: sends the same bodies with the same concurrency, without a database, signatures and checks of addresses. */
type Job = { url: string; bodies: string[]; concurrency: number; headers: Record<string, string> }

process.on('message', (job: Job) => {
  void send(job).then(() => process.send?.('done'))
})

const send = async ({ url, bodies, concurrency, headers }: Job): Promise<void> => {
  const dispatcher = new Agent({ connections: concurrency })
  const queue = bodies.values()
  const sendNext = async (): Promise<void> => {
    for (const body of queue) {
      const response = await request(url, { method: 'POST', dispatcher, headers, body })
      await response.body.dump()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, sendNext))
  await dispatcher.close()
}

process.stdout.write('ready\n')
