// The agent loop of the AI SDK, with a scripted model and an application that connects the account between two steps.
import { MockLanguageModelV4 } from 'ai/test'
import { send, serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key, FIND_AUTHENTICATE_META: detection, TOOL: tool } = process.env
const { findAuthenticateMeta } = await import(detection)

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const says = (unified, part) => ({
  content: [part],
  finishReason: { unified, raw: undefined },
  usage,
  warnings: [],
})
let calls = 0
/** Calls the tool until it has a result, like a model that is instructed to retry. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const seen = JSON.stringify(prompt.at(-1))
    const titles = [...seen.matchAll(/title\\*":\\*"([^"\\]+)/g)].map(([, title]) => title)
    return titles.length > 0
      ? says('stop', { type: 'text', text: `Your notes: ${titles.join(', ')}.` })
      : says('tool-calls', {
          type: 'tool-call',
          toolCallId: `call-${++calls}`,
          toolName: tool,
          input: '{}',
        })
  },
})

let linked
/** An application shows Link or sends the magic link, and waits for `onSuccess`. */
const connectAccount = meta => {
  send({ event: 'connect', meta })
  return new Promise(resolve => (linked = resolve))
}

// snippet
import { createMCPClient } from '@ai-sdk/mcp'
import { generateText, isStepCount } from 'ai'

const headers = { authorization: `Bearer ${key}` }
const client = await createMCPClient({ transport: { type: 'http', url: address, headers } })
const tools = await client.tools()

const answer = prompt =>
  generateText({
    model,
    tools,
    prompt,
    stopWhen: isStepCount(10),
    prepareStep: async ({ steps }) => {
      for (const { output } of steps.at(-1)?.toolResults ?? []) {
        const meta = findAuthenticateMeta(output)
        if (meta) await connectAccount(meta)
      }
    },
  })
// end

await serve({
  answer: async ({ prompt }) => {
    const { text, steps } = await answer(prompt)
    return { text, calls: steps.flatMap(({ toolCalls }) => toolCalls).length, steps: steps.length }
  },
  linked: () => linked(),
})
