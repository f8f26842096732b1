import { hashToken, parseToken } from '../../src/core/token.ts'
import type { ToolCall } from '../../src/features/tools/admission/admit-call.ts'
import { callTool } from '../../src/features/tools/calls/call-tool.ts'
import type { ToolResult } from '../../src/features/tools/results/tool-result.ts'
import type { TestService } from './test-service.ts'

export type MakeCall = (name: string, rest?: Partial<ToolCall>) => Promise<ToolResult>

export const keyHashOf = (key: string): Buffer => {
  const token = parseToken('productionKey', key)
  if (!token) throw new Error('not a production key')
  return hashToken(token)
}

/** Calls tools without the HTTP layer, to test an abort signal, progress or an idempotency key directly. */
export const toolCall = (t: TestService, registeredUserId: string, name: string): ToolCall => ({
  keyHash: keyHashOf(t.organization.key),
  registeredUserId,
  toolPackId: t.organization.toolPackId,
  name,
  args: {},
  requestId: 'req_test',
  only: null,
  signal: new AbortController().signal,
  onProgress: null,
  onRate: null,
  idempotencyKey: null,
})

export const caller =
  (t: TestService, registeredUserId: string): MakeCall =>
  async (name, rest = {}) => {
    const call = { ...toolCall(t, registeredUserId, name), ...rest }
    const { result } = await callTool(t.service.features, call)
    return result
  }
