import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Explanation, explainSteps } from '@carabiner/contract'
import { FEATURES } from '../architecture.ts'
import { engines } from '../support/databases.ts'
import { explainedStates, nameState } from '../support/explain/explained-state.ts'
import { type PreparedCall, prepareState } from '../support/explain/prepare-state.ts'
import { startStreamingMcp } from '../support/streaming-mcp.ts'
import {
  type Answer,
  liftPageLimits,
  SANDBOX_CONNECTORS,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

const SEED = 20260728
/** The embedded engine is slower, and runs the same code. */
const STATES = { postgres: { random: 50 }, pglite: { random: 10, accounts: 4 } }

/** The outcome of a call, or of its explanation. `code`: the error or the reason. */
type Outcome = { would: Explanation['would']; code: string | null; message: string | null }

const outcomeOfCall = ({ status, body }: Answer): Outcome => {
  if (status >= 400) return { would: 'reject', code: body.error.code, message: body.error.message }
  const { isError, structuredContent: content } = body.result
  if (isError) return { would: 'reject', code: content.error.code, message: content.error.message }
  if (content?.type === 'authenticate_meta')
    return { would: 'request_authentication', code: content.reason, message: null }
  return { would: 'run', code: null, message: null }
}

const outcomeOfExplanation = ({ status, body }: Answer): Outcome => {
  if (status >= 400) return { would: 'reject', code: body.error.code, message: body.error.message }
  const { would, error, authentication }: Explanation = body
  return { would, code: error?.code ?? authentication?.reason ?? null, message: error?.message ?? null }
}

/** The seconds of a rate limit pass between the two requests. */
const withoutSeconds = ({ message, ...outcome }: Outcome): Outcome => ({
  ...outcome,
  message: message?.replace(/\d+ s\./, 'N s.') ?? null,
})

for (const engine of engines)
  describe(`Explain and a tool call, on ${engine}`, () => {
    let t: TestService
    let server: Awaited<ReturnType<typeof startStreamingMcp>>
    let received = 0
    const seen = new Set<string | null>()
    const codes = new Set<string | null>()
    before(async () => {
      // Without jobs, which would change rows meanwhile.
      t = await startTestService(
        engine,
        { CONNECTORS: `${SANDBOX_CONNECTORS} dropbox asana-mcp` },
        { withJobs: false },
      )
      liftPageLimits(t)
      const owned = await t.query<{ name: string }>(
        `select table_name as name from information_schema.columns
         where table_schema = 'public' and column_name = 'organization_id'`,
      )
      tables = Object.values(FEATURES)
        .flatMap(feature => feature.tables)
        .filter(table => owned.some(({ name }) => name === table))
        .map(name => ({ name, column: 'organization_id' }))
      tables.push({ name: 'organizations', column: 'id' })
      server = await startStreamingMcp({
        tools: [
          {
            name: 'count',
            inputSchema: {
              type: 'object',
              properties: {
                number: { type: 'integer' },
                note: { type: 'string' },
                choice: { type: 'string', enum: ['one', 'ana@example.com'] },
              },
              required: ['number'],
              additionalProperties: false,
            },
          },
          { name: 'lookup' },
        ],
        call: async () => {
          received++
          return { content: [{ type: 'text', text: 'counted' }] }
        },
      })
    })
    after(async () => {
      await t.stop()
      await server.stop()
    })

    const explain = (call: PreparedCall, withArguments: boolean) =>
      t.call('POST', '/api/v1/explain', {
        key: call.key,
        body: {
          registered_user_id: call.userId,
          tool_pack_id: call.packId,
          tool: call.tool,
          ...(withArguments && { arguments: call.args }),
        },
      })
    const perform = (call: PreparedCall) =>
      t.mcp(
        call.userId,
        'tools/call',
        { name: call.tool, arguments: call.args },
        { key: call.key, packId: call.packId },
      )
    let tables: { name: string; column: string }[]
    /** Everything that is stored about the organization, and every request to a provider. */
    const snapshot = async ({ organization }: PreparedCall) => {
      const stored = await t.query(
        tables
          .map(
            ({ name, column }) =>
              `select '${name}' as name, md5(string_agg((to_jsonb(r) - 'last_used_at')::text, ' ' order by r::text)) as rows from ${name} r where ${column} = $1`,
          )
          .join(' union all '),
        [organization.id],
      )
      return { stored, received, ledger: t.sandbox.ledger.length }
    }

    for (const [number, state] of explainedStates(SEED, STATES[engine]).entries())
      it(`agree on state ${number} (${nameState(state)})`.slice(0, 100), async () => {
        const call = await prepareState(t, server.url, state)
        const earlier = await snapshot(call)
        const first = await explain(call, true)
        const second = await explain(call, true)
        await explain(call, false)
        assert.deepEqual(await snapshot(call), earlier, 'Explain changes nothing')
        const explained = outcomeOfExplanation(first)
        assert.deepEqual(withoutSeconds(outcomeOfExplanation(second)), withoutSeconds(explained))
        const made = outcomeOfCall(await perform(call))
        assert.deepEqual(withoutSeconds(explained), withoutSeconds(made), first.text)
        if (first.status !== 200) return
        seen.add(first.body.first_failed)
        codes.add(explained.code)
        assertLadder(first.body)
      })

    it('have failed at every step that can fail', () => {
      const neverFail = new Set(['key', 'provider'])
      const failing = explainSteps.filter(step => !neverFail.has(step))
      assert.deepEqual(
        failing.filter(step => !seen.has(step)),
        [],
      )
      assert.ok(seen.has(null), 'some calls run')
    })

    it('have failed for every reason to use none of several accounts', () => {
      if (engine === 'pglite') return
      const reasons = ['account_required', 'account_not_found', 'account_unavailable', 'never_linked']
      assert.deepEqual(
        reasons.filter(code => !codes.has(code)),
        [],
      )
    })
  })

/** One failed step at most, and nothing is reached after it. */
const assertLadder = ({ steps, first_failed: failed, allowed }: Explanation): void => {
  assert.deepEqual(
    steps.map(({ step }) => step),
    [...explainSteps],
  )
  const at = steps.findIndex(({ status }) => status === 'failed')
  assert.equal(failed, at === -1 ? null : steps[at]?.step)
  assert.equal(allowed, at === -1)
  for (const [position, { status }] of steps.entries())
    assert.equal(status === 'not_reached', at !== -1 && position > at)
}
