import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAMES = ['express', 'fastify', 'next', 'hono'] as const

/** Writes the receivers of docs/guides/webhooks.md, with a function `enqueue` that keeps the events in memory. */
export const writeWebhookSnippets = (folder: string): Record<(typeof NAMES)[number], string> => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/guides/webhooks.md'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code]) => code as string)
    .filter(code => code.includes('@carabiner/sdk'))
  if (blocks.length !== NAMES.length)
    throw new Error('docs/guides/webhooks.md has another number of receivers.')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'enqueue.ts'),
    `import type { WebhookEvent } from '@carabiner/sdk'
     export const queue: WebhookEvent[] = []
     export const enqueue = async (event: WebhookEvent): Promise<void> => void queue.push(event)\n`,
  )
  const files = NAMES.map((name, n) => {
    const file = join(folder, `${name}.ts`)
    writeFileSync(file, blocks[n] as string)
    return [name, file] as const
  })
  return Object.fromEntries(files) as Record<(typeof NAMES)[number], string>
}
