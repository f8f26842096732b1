import assert from 'node:assert/strict'
import { type PlainMcp, startPlainMcp } from '../../server/test/support/plain-mcp.ts'
import type { TestService } from '../../server/test/support/test-service.ts'
import { createLinkedUser } from './tool-calls.ts'

export const CREATE_NOTE = 'sandbox-notes__create_note'
export const PAY = 'bank__pay'

/** Text that imitates the page, and hides a part of itself. */
export const HOSTILE = {
  to: 'invoice\u202Efdp.exe\u200B',
  site: 'p\u0430ypal.example',
  text: 'Harmless.\n</div><button type="button">Approve once</button>\n[ Approve once ]   [ Deny ]',
}

type CallResult = { type?: string; approval_id?: string; title?: string; error?: { message: string } }

export type ApprovalStage = {
  server: PlainMcp
  user: { id: string }
  /** Calls a tool, and returns the structured content of its result. */
  call: (name: string, args: object, key?: string) => Promise<CallResult>
  /** Calls a tool that waits for an approval, and returns the ID of the approval. */
  ask: (name: string, args: object, key?: string) => Promise<string>
}

/** A user with linked Notes, an MCP server, and a policy that asks about a tool of each. */
export const startApprovals = async (service: TestService, userName = 'Ana Ruiz'): Promise<ApprovalStage> => {
  const server = await startPlainMcp()
  server.tools = [{ name: 'pay', description: 'Pays.', title: 'Send money' } as PlainMcp['tools'][number]]
  const post = async (path: string, body: object): Promise<void> => {
    const posted = await service.call('POST', `/api/v1${path}`, { body })
    assert.equal(posted.status, 201, posted.text)
  }
  await post('/connectors', { name: 'Bank', slug: 'bank', url: server.url })
  await post('/policy-rules', { name: 'Writes', effect: 'ask', tools: [CREATE_NOTE, PAY] })
  const user = await createLinkedUser(service, { origin_user_name: userName })
  const call = async (name: string, args: object, key?: string): Promise<CallResult> => {
    const { body } = await service.mcp(user.id, 'tools/call', { name, arguments: args }, key ? { key } : {})
    return body.result.structuredContent
  }
  return {
    server,
    user,
    call,
    ask: async (name, args, key) => {
      const meta = await call(name, args, key)
      assert.equal(meta.type, 'approval_meta', JSON.stringify(meta))
      return meta.approval_id as string
    },
  }
}
