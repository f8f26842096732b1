import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findApprovalMeta } from '@carabiner/contract'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { installMcpClients, type McpClientProgram, startMcpClient } from '../support/mcp-clients.ts'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const CREATE = 'sandbox-notes__create_note'
/** TypeScript without imports, so that the client programs can load it. */
const DETECTION = join(import.meta.dirname, '../../../packages/contract/src/find-meta.ts')
/** `waits`: it supports tasks, and waits for the result by itself. */
const CLIENTS: { program: string; rename?: (name: string) => string; local?: true; waits?: true }[] = [
  { program: 'inspector', local: true, waits: true },
  { program: 'sdk' },
  { program: 'client' },
  { program: 'ai-sdk' },
  { program: 'langchain' },
  { program: 'openai-agents', rename: name => name.replaceAll('-', '_') },
  { program: 'mastra' },
  { program: 'mcp-remote', local: true },
]

let t: TestService
let organization: TestOrganization
let member: PersonSession
before(async () => {
  await installMcpClients()
  t = await joinTestService()
  organization = await t.createOrganization('Approvals in clients')
  const { key } = organization
  const rule = { name: 'Notes', effect: 'ask', tools: [CREATE] }
  assert.equal((await t.call('POST', '/api/v1/policy-rules', { key, body: rule })).status, 201)
  member = await signInPerson(t, { role: 'security', organizationId: organization.id })
})
after(() => t?.stop())

const decide = async (id: string, decision: 'approve' | 'deny'): Promise<void> => {
  const { approval_digest } = (await member.call('GET', `/api/v1/approvals/${id}`)).body
  const body = { decision, approval_digest, ...(decision === 'deny' && { reason: 'Not this one' }) }
  const decided = await member.call('POST', `/api/v1/approvals/${id}/decision`, { body })
  assert.equal(decided.status, 200, decided.text)
}

/** What the application sees of a call, whether its client returns or throws errors. */
const outcomeOf = (client: McpClientProgram, name: string, title: string): Promise<unknown> =>
  client
    .request('call', { name, args: { title, text: 'Written by an agent' } })
    .catch((error: Error) => ({ thrown: error.message }))

describe('third-party clients and approvals', { concurrency: 2 }, () => {
  for (const { program, rename = (name: string) => name, local = false, waits = false } of CLIENTS)
    it(`${program} asks, gets the result of the approved call, asks again about a changed one, and is told a denial [approval.once]`, async () => {
      const { key } = organization
      const user = await t.createUser({}, key)
      await linkNotes(createBrowserUser(), (await t.mint(user.id, {}, key)).magic_link_url)
      const own = local
        ? (
            await t.call('POST', `/api/v1/registered-users/${user.id}/mcp-keys`, {
              key,
              body: { name: 'laptop' },
            })
          ).body.key
        : key
      const address = `${t.baseUrl}/api/v1/tool-packs/${organization.toolPackId}/registered-users/${user.id}/mcp`
      const client = await startMcpClient(program, {
        address,
        key: own,
        environment: { FIND_AUTHENTICATE_META: DETECTION },
      })
      const name = rename(CREATE)
      const pending = async (): Promise<string> => {
        const path = `/api/v1/approvals?status=pending&registered_user_id=${user.id}`
        const [waiting] = (await t.call('GET', path, { key })).body.data
        assert.ok(waiting)
        return waiting.id
      }
      const call = (title: string) => outcomeOf(client, name, title)
      /** `end`: what the application gets after the decision. */
      const ask = async (title: string): Promise<{ id: string; end: () => Promise<unknown> }> => {
        const calling = call(title)
        if (waits) return { id: await eventually(pending), end: () => calling }
        const returned = await calling
        const meta = findApprovalMeta(returned)
        assert.ok(meta?.approval_url, JSON.stringify(returned))
        return { id: meta.approval_id, end: () => call(title) }
      }
      try {
        await client.request('list')
        const first = await ask('Approved')
        await decide(first.id, 'approve')
        assert.match(JSON.stringify(await first.end()), /"title\\*":\\*"Approved/)
        const second = await ask('Changed')
        assert.notEqual(second.id, first.id)
        await decide(second.id, 'deny')
        assert.match(JSON.stringify(await second.end()), /Not this one/)
      } finally {
        await client.stop()
      }
    })
})
