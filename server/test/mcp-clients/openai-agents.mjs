import { RunContext, Usage } from '@openai/agents'
import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key, FIND_AUTHENTICATE_META: detection } = process.env
const { findAuthenticateMeta } = await import(detection)

/** A scripted model that calls the tool named in the prompt, and then ends. */
const model = {
  getResponse: async ({ input }) => {
    const [{ content }] = input
    const isDone = input.some(({ type }) => type === 'function_call_result')
    const output = isDone
      ? [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'Done.' }],
          },
        ]
      : [{ type: 'function_call', callId: 'call-1', name: content, arguments: '{}', status: 'completed' }]
    return { usage: new Usage(), output }
  },
}

// snippet
import { Agent, MCPServerStreamableHttp, run } from '@openai/agents'

const headers = { authorization: `Bearer ${key}` }
const server = new MCPServerStreamableHttp({ name: 'carabiner', url: address, requestInit: { headers } })
await server.connect()
const agent = new Agent({ name: 'My agent', mcpServers: [server], model })

const answer = async prompt => {
  const result = await run(agent, prompt)
  return { result, meta: findAuthenticateMeta(result) }
}
// end

const tools = await agent.getMcpTools(new RunContext())
const named = wanted => tools.find(({ name }) => name === wanted)
await serve({
  list: () => tools.map(({ name }) => name),
  call: ({ name, args }) => named(name).invoke(new RunContext(), JSON.stringify(args)),
  /** Results of the detection in a run, in its new items, and in its history. */
  answer: async ({ name }) => {
    const { result, meta } = await answer(name)
    const { newItems, history } = result
    return [meta, findAuthenticateMeta({ newItems }), findAuthenticateMeta({ history })]
  },
})
