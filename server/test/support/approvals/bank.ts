import assert from 'node:assert/strict'
import { type HostileServer, result } from '../hostile-mcp.ts'
import { signInPerson } from '../person-session.ts'
import { type RawAnswer, sendRawRequest, statelessRequest } from '../raw-mcp.ts'
import type { TestService } from '../test-service.ts'

const inputSchema = { type: 'object', additionalProperties: true }
const TOOLS = ['pay', 'read'].map(name => ({ name, title: `Tool ${name}`, inputSchema }))

/** What the bank has received, and how it answers. */
export type Bank = { received: unknown[]; hold?: Promise<void> | undefined }

/** An MCP server with a tool that pays and one that reads. */
export const serveBank = (server: HostileServer): Bank => {
  const bank: Bank = { received: [] }
  server.reset({
    'tools/list': exchange => result(exchange, { tools: TOOLS }),
    'tools/call': async exchange => {
      bank.received.push(exchange.message.params.arguments)
      await bank.hold
      return result(exchange, { content: [{ type: 'text', text: 'paid' }] })
    },
  })
  return bank
}

/** Of a client that takes tasks. */
export const TASKS = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

let organizations = 0

export type Sending = {
  name?: string
  userId?: string
  packId?: string
  key?: string
  capabilities?: object
  meta?: object
  /** Further parameters of the call. */
  with?: object
}

/** An organization whose policy asks about payments, with one user and a member who decides. */
export const openBank = async (t: TestService, server: HostileServer) => {
  const organization = await t.createOrganization(`Bank ${++organizations}`)
  const { key } = organization
  const api = (method: string, path: string, body?: unknown, by = key) =>
    t.call(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })
  const must = async (...of: Parameters<typeof api>) => {
    const answer = await api(...of)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  await must('POST', '/connectors', { name: 'Bank', slug: 'bank', url: server.url })
  await must('POST', '/policy-rules', { name: 'Payments', effect: 'ask', tools: ['bank__pay'] })
  const user = await t.createUser({}, key)
  const other = await t.createUser({}, key)
  const member = await signInPerson(t, { role: 'security', organizationId: organization.id })

  const urlOf = ({ userId = user.id, packId = organization.toolPackId }: Sending, query: string): string =>
    `${t.baseUrl}/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp${query}`
  /** A request of revision 2026-07-28, as its client sends it. */
  const send = (method: string, params: Record<string, unknown>, of: Sending = {}, query = '') =>
    sendRawRequest(urlOf(of, query), of.key ?? key, statelessRequest(method, params, of))
  const answerTo = async (sent: Promise<RawAnswer>): Promise<any> =>
    (await sent).until(message => 'result' in message || 'error' in message)
  const pay = (args: object, of: Sending = {}, query = '') =>
    answerTo(send('tools/call', { name: of.name ?? 'bank__pay', arguments: args, ...of.with }, of, query))

  const task = (method: string, taskId: unknown, of: Sending = {}) =>
    answerTo(send(`tasks/${method}`, { taskId, ...of.with }, { ...TASKS, ...of }))

  const read = (id: string) => must('GET', `/approvals/${id}`)
  const decide = async (id: string, decision: 'approve' | 'deny') => {
    const { approval_digest } = await read(id)
    const decided = await member.call('POST', `/api/v1/approvals/${id}/decision`, {
      body: { decision, approval_digest },
    })
    assert.equal(decided.status, 200, decided.text)
  }
  const pending = async (): Promise<string[]> =>
    (await must('GET', '/approvals?status=pending')).data.map(({ id }: { id: string }) => id)
  return {
    organization,
    key,
    api,
    must,
    user,
    other,
    member,
    send,
    answerTo,
    pay,
    task,
    read,
    decide,
    pending,
  }
}
