import { setTimeout as delay } from 'node:timers/promises'
import { type StreamedCall, startStreamingMcp } from './streaming-mcp.ts'

/** A minimal 1×1 image and a minimal silent audio file. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

type Tool = { result?: object; run?: (call: StreamedCall) => Promise<object> }

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
})

/** The tools that the official suite calls, with the results that it expects. */
const tools = (onTrigger: () => Promise<void>): Record<string, Tool> => ({
  test_simple_text: { result: text('This is a simple text response for testing.') },
  test_image_content: { result: { content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] } },
  test_audio_content: { result: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] } },
  test_embedded_resource: {
    result: {
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource.')],
    },
  },
  test_multiple_content_types: {
    result: {
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    },
  },
  test_error_handling: {
    result: { ...text('This tool intentionally returns an error for testing'), isError: true },
  },
  test_tool_with_progress: {
    run: async ({ notify, progressToken }) => {
      for (const progress of [0, 50, 100]) {
        notify('notifications/progress', { progressToken, progress, total: 100 })
        await delay(150)
      }
      return text('Done.')
    },
  },
  test_logging_tool: {
    run: async ({ notify }) => {
      notify('notifications/message', { level: 'info', data: 'working' })
      return text('Logged.')
    },
  },
  test_streaming_elicitation: { result: text('No elicitation was sent.') },
  greet: {
    run: async ({ args }) => text(`Hello, ${(args as { name?: string } | undefined)?.name ?? 'nobody'}!`),
  },
  slow_compute: { result: text('Computed.') },
  failing_job: { result: { ...text('The job has failed.'), isError: true } },
  test_trigger_tool_change: {
    run: async () => {
      await onTrigger()
      return text('Changed.')
    },
  },
})

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

export type ConformanceUpstream = {
  url: string
  /** Sets the function that the tool `test_trigger_tool_change` calls. */
  onTrigger(act: () => Promise<void>): void
  stop(): Promise<void>
}

/** An upstream MCP server with the features that the suite tests. */
export const startConformanceUpstream = async (): Promise<ConformanceUpstream> => {
  const triggered = { act: async (): Promise<void> => undefined }
  const byName = tools(() => triggered.act())
  const server = await startStreamingMcp({
    tools: [
      ...Object.keys(byName).map(name => ({ name })),
      { name: 'json_schema_2020_12_tool', inputSchema: SCHEMA_2020_12 },
    ],
    call: async (name, call) => byName[name]?.result ?? (await byName[name]?.run?.(call)) ?? null,
  })
  return { ...server, onTrigger: act => void (triggered.act = act) }
}
