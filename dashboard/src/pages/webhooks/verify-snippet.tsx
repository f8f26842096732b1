import type { WebhookEndpoint } from '@carabiner/sdk'
import { Card } from '../../ui/card.tsx'
import { type Code, Snippet } from '../../ui/data/snippet.tsx'

const codesFor = (variable: string): [Code, ...Code[]] => [
  {
    language: 'Express',
    text: `import { verifyWebhook, WebhookError } from '@carabiner/sdk'

// Before express.json(): the signature is that of the raw body.
app.post('/webhooks', express.raw({ type: '*/*' }), async (request, response) => {
  try {
    await enqueue(await verifyWebhook(request.headers, request.body, process.env.${variable}))
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    response.status(400).send(error.code)
  }
})`,
  },
  {
    language: 'Fastify',
    text: `import { verifyWebhook, WebhookError } from '@carabiner/sdk'

app.register(async plugin => {
  plugin.removeAllContentTypeParsers()
  plugin.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  plugin.post('/webhooks', async (request, reply) => {
    try {
      await enqueue(await verifyWebhook(request.headers, request.body, process.env.${variable}))
      return reply.code(204).send()
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      return reply.code(400).send(error.code)
    }
  })
})`,
  },
  {
    language: 'Next.js',
    text: `import { verifyWebhook, WebhookError } from '@carabiner/sdk'

export const POST = async (request) => {
  try {
    await enqueue(await verifyWebhook(request.headers, await request.arrayBuffer(), process.env.${variable}))
    return new Response(null, { status: 204 })
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return new Response(error.code, { status: 400 })
  }
}`,
  },
  {
    language: 'Hono',
    text: `import { verifyWebhook, WebhookError } from '@carabiner/sdk'

app.post('/webhooks', async context => {
  try {
    const body = await context.req.arrayBuffer()
    await enqueue(await verifyWebhook(context.req.raw.headers, body, process.env.${variable}))
    return context.body(null, 204)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return context.text(error.code, 400)
  }
})`,
  },
]

/** How a receiver verifies the signature, by framework. */
export const VerifySnippet = ({ signature }: Pick<WebhookEndpoint, 'signature'>) => (
  <Card
    title="Verify the signature"
    note={
      signature === 'v1'
        ? 'Reject requests with a wrong signature. enqueue is your own function; it skips events whose ID it knows.'
        : 'Use the public key above to reject requests with a wrong signature. enqueue is your own function.'
    }
  >
    <Snippet
      label="Verify the signature"
      codes={codesFor(signature === 'v1' ? 'WEBHOOK_SECRET' : 'WEBHOOK_PUBLIC_KEY')}
    />
  </Card>
)
