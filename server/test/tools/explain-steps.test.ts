import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { CallStepName, Explanation } from '@carabiner/contract'
import { newUuid } from '../../src/core/uuid.ts'
import { sealSecret } from '../../src/features/credentials/credential-secret.ts'
import { FEATURES } from '../architecture.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { readStoredSecret } from '../support/stored-secret.ts'
import { type StubMcp, startStubMcp, text } from '../support/stub-mcp.ts'
import {
  type Answer,
  joinTestService,
  type TestOrganization,
  type TestService,
} from '../support/test-service.ts'

const NOTES = 'sandbox-notes__list_notes'

/** The features whose tables a call may change. Jobs do not change these tables meanwhile. */
const OBSERVED = ['tools', 'link', 'credentials', 'metering', 'rules', 'events']

/** A call that runs, unless a case changes something. */
type Call = {
  organization: TestOrganization
  key: string
  userId: string
  packId: string
  tool: string
  args: Record<string, unknown>
}
type Case = {
  name: string
  /** The step at which the call ends; null if it runs. */
  step: CallStepName | null
  /** The error, or the reason of the requested connection. */
  code: string | null
  prepare?: (call: Call) => Promise<Partial<Call> | void>
  /** Default: true. */
  isLinked?: boolean
}

describe('a call ends at the step that Explain names', () => {
  let t: TestService
  let server: StubMcp
  let tables: string[]
  before(async () => {
    t = await joinTestService('postgres')
    server = await startStubMcp()
    const owned = await t.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'organization_id'`,
    )
    tables = OBSERVED.flatMap(feature => FEATURES[feature]?.tables ?? []).filter(table =>
      owned.some(({ name }) => name === table),
    )
  })
  after(async () => {
    await t.stop()
    await server.stop()
  })

  const request = async (key: string, method: string, path: string, body: object) => {
    const answer = await t.call(method, `/api/v1${path}`, { key, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const createPack = async ({ key }: Call, connectors: unknown[]) => ({
    packId: (await request(key, 'POST', '/tool-packs', { name: 'Narrow', connectors })).id as string,
  })
  const setCredential = ({ organization, userId }: Call, change: string) =>
    t.query(`update credentials set ${change} where organization_id = $1 and registered_user_id = $2`, [
      organization.id,
      userId,
    ])
  const setOrganization = ({ organization }: Call, change: string) =>
    t.query(`update organizations set ${change} where id = $1`, [organization.id])
  const link = async ({ key }: Call, userId: string) => {
    const { magic_link_url: url } = await t.mint(userId, { connector_slug: 'sandbox-notes' }, key)
    await linkNotes(createBrowserUser(), url)
  }
  const dropRefreshToken = async ({ organization, userId }: Call) => {
    const { credentialId, key, owner, secret } = await readStoredSecret(t, organization.id, userId)
    assert.ok(secret.kind === 'oauth2')
    const sealed = sealSecret(key, owner, { ...secret, refreshToken: null })
    await t.query(
      'update credentials set sealed = $3, access_expires_at = app_now() where organization_id = $1 and id = $2',
      [organization.id, credentialId, sealed],
    )
  }
  const addServer = ({ key }: Call) =>
    request(key, 'POST', '/connectors', { name: 'Work', slug: 'work', url: server.url })
  const setEmailRule = ({ key }: Call, action: object) =>
    request(key, 'PUT', '/security-rules', { entities: { EMAIL_ADDRESS: action } })

  /** Two accounts of a server that has the tool `authenticate_keyed`. */
  const linkTwoKeys = async ({ key, userId }: Call) => {
    const body = { name: 'Keyed', slug: 'keyed', url: server.url, authentication: 'user_secret' }
    await request(key, 'POST', '/connectors', body)
    for (const name of ['first', 'second']) {
      const target = { connector_slug: 'keyed', account: 'add', account_label: name } as const
      const { magic_link_url: url } = await t.mint(userId, target, key)
      const browser = createBrowserUser()
      await browser.submit(await browser.open(url), /\/api-key$/, { secret: `a-secret-of-the-${name}` })
    }
    const linked = await t.query(`select 1 from credentials where registered_user_id = $1`, [userId])
    assert.equal(linked.length, 2)
  }

  const CASES: Case[] = [
    { name: 'a call that runs', step: null, code: null },
    {
      name: 'authenticate_… with several accounts',
      step: null,
      code: null,
      isLinked: false,
      prepare: async call => {
        await linkTwoKeys(call)
        return { tool: 'authenticate_keyed', args: {} }
      },
    },
    {
      name: 'a due refresh',
      step: null,
      code: null,
      prepare: async call => void (await setCredential(call, 'access_expires_at = app_now()')),
    },
    {
      name: 'an unknown user',
      step: 'user',
      code: 'registered_user_not_found',
      prepare: async () => ({ userId: newUuid() }),
    },
    {
      name: 'a test user with a production key',
      step: 'mode',
      code: 'registered_user_not_found',
      prepare: async ({ organization }) => ({ userId: (await t.createUser({}, organization.testKey)).id }),
    },
    {
      name: 'an unknown Tool Pack',
      step: 'tool_pack',
      code: 'tool_pack_not_found',
      prepare: async () => ({ packId: newUuid() }),
    },
    {
      name: 'a deactivated user',
      step: 'user_status',
      code: 'user_inactive',
      // Deactivation revokes connections in the background.
      isLinked: false,
      prepare: async ({ key, userId }) =>
        void (await request(key, 'PATCH', `/registered-users/${userId}`, { is_active: false })),
    },
    {
      name: 'a pack without the connector',
      step: 'connector',
      code: 'tool_not_found',
      prepare: call => createPack(call, ['sandbox-vault']),
    },
    {
      name: 'a pack without the tool',
      step: 'tool',
      code: 'tool_not_found',
      prepare: call => createPack(call, [{ slug: 'sandbox-notes', tools: ['create_note'] }]),
    },
    {
      name: 'a tool that was not accepted yet',
      step: 'tool_definition',
      code: 'tool_not_found',
      prepare: async call => {
        await addServer(call)
        await t.query(
          `update mcp_connectors set pending_hash = 'other', pending_since = app_now(), pending_tools = jsonb_build_object(
             'problems', '[]'::jsonb, 'tools', '[{"name": "fresh", "upstreamName": "fresh"}]'::jsonb) where organization_id = $1`,
          [call.organization.id],
        )
        return { tool: 'work__fresh' }
      },
    },
    {
      name: 'a used-up plan',
      step: 'plan_limit',
      code: 'billing_limit_reached',
      prepare: async call => void (await setOrganization(call, `plan = 'business', call_limit = 0`)),
    },
    {
      name: 'a used-up daily limit',
      step: 'daily_limit',
      code: 'daily_limit_reached',
      prepare: async ({ organization, key }) =>
        void (await request(key, 'PATCH', `/tool-packs/${organization.toolPackId}`, { daily_call_limit: 0 })),
    },
    {
      name: 'a used-up rate limit',
      step: 'rate_limit',
      code: 'rate_limited',
      prepare: async call => {
        const { organization, key, userId } = call
        await setOrganization(call, `plan = 'business'`)
        await request(key, 'PATCH', `/registered-users/${userId}`, { rate_limit_per_minute: 2 })
        await t.query(`insert into rate_buckets values ($1, $2, app_now() + interval '1 minute')`, [
          organization.id,
          userId,
        ])
      },
    },
    {
      name: 'arguments of another type',
      step: 'arguments',
      code: 'invalid_arguments',
      prepare: async () => ({ args: { query: 7 } }),
    },
    {
      name: 'arguments that a rule blocks',
      step: 'security_rules',
      code: 'security_rule_blocked',
      prepare: async call => {
        await setEmailRule(call, { inbound_action: 'block' })
        return { args: { query: 'ana@example.com' } }
      },
    },
    { name: 'no account', step: 'account', code: 'never_linked', isLinked: false },
    {
      name: 'no account and no possible link',
      step: 'account',
      code: 'code_mode_required',
      isLinked: false,
      prepare: async call => void (await setOrganization(call, `link_binding = 'code_only'`)),
    },
    {
      name: 'an unknown account',
      step: 'account',
      code: 'account_not_found',
      prepare: async () => ({ args: { carabiner_account: 'nobody@example.com' } }),
    },
    {
      name: 'an expired connection',
      step: 'credential',
      code: 'expired',
      prepare: async call =>
        void (await setCredential(call, `status = 'needs_reauth', status_reason = 'expired'`)),
    },
    {
      name: 'a revoked connection',
      step: 'credential',
      code: 'revoked',
      prepare: async call =>
        void (await setCredential(call, `status = 'revoked', status_reason = 'user', sealed = null`)),
    },
    {
      name: 'a paused connection',
      step: 'credential',
      code: 'connection_paused',
      prepare: async call => void (await setCredential(call, `paused_until = app_now() + interval '1 hour'`)),
    },
    {
      name: 'an expired account of another user',
      step: 'credential',
      code: 'account_unavailable',
      isLinked: false,
      prepare: async call => {
        const owner = await t.createUser({}, call.key)
        await link(call, owner.id)
        const [credential] = await t.query('select id from credentials where registered_user_id = $1', [
          owner.id,
        ])
        const path = `/registered-users/${owner.id}/credentials/${credential.id}/access`
        await request(call.key, 'PUT', path, { registered_user_ids: [call.userId] })
        await setCredential(
          { ...call, userId: owner.id },
          `status = 'needs_reauth', status_reason = 'expired'`,
        )
      },
    },
    {
      name: 'missing scopes',
      step: 'scopes',
      code: 'insufficient_scope',
      prepare: async call => void (await setCredential(call, `scopes = '{}'`)),
    },
    {
      name: 'scopes that were requested and not granted',
      step: 'scopes',
      code: 'third_party_forbidden',
      prepare: async call => {
        await setCredential(call, `scopes = '{}'`)
        await t.query(
          `update link_sessions set more_scopes = array['notes:read'], scopes_reason = 'lacking'
           where organization_id = $1 and registered_user_id = $2`,
          [call.organization.id, call.userId],
        )
      },
    },
    {
      name: 'an expired token without a refresh token',
      step: 'token',
      code: 'expired',
      prepare: dropRefreshToken,
    },
  ]

  const prepare = async ({ prepare: change, isLinked = true }: Case): Promise<Call> => {
    const organization = await t.createOrganization('Explained')
    const { key, toolPackId: packId } = organization
    const { id: userId } = await t.createUser({}, key)
    const call = { organization, key, userId, packId, tool: NOTES, args: { query: 'milk' } }
    if (isLinked) await link(call, userId)
    return { ...call, ...(await change?.(call)) }
  }
  const explain = ({ key, userId, packId, tool, args }: Call) =>
    request(key, 'POST', '/explain', {
      registered_user_id: userId,
      tool_pack_id: packId,
      tool,
      arguments: args,
    }) as Promise<Explanation>
  const make = ({ key, userId, packId, tool, args }: Call) =>
    t.mcp(userId, 'tools/call', { name: tool, arguments: args }, { key, packId })
  const recordsOf = ({ organization }: Call) =>
    t.query('select ended_at_step from tool_calls where organization_id = $1', [organization.id])
  /** The rows of the organization, and every request to the provider. */
  const snapshot = async ({ organization }: Call) => {
    const digests = tables.map(
      name =>
        `select '${name}' as name, md5(string_agg(to_jsonb(r)::text, ' ' order by r::text)) as rows from ${name} r where organization_id = $1`,
    )
    return {
      stored: await t.query(digests.join(' union all '), [organization.id]),
      requests: t.sandbox.ledger.length,
    }
  }

  for (const tested of CASES)
    it(`${tested.step ?? 'runs'}: ${tested.name}`, async () => {
      const { step, code } = tested
      const call = await prepare(tested)
      const earlier = await snapshot(call)
      const explained = await explain(call)
      assert.deepEqual(await snapshot(call), earlier, 'Explain changes nothing')
      assert.equal(explained.first_failed, step, explained.summary)
      const made = outcomeOf(await make(call))
      assert.equal(made.code, code)
      assert.deepEqual(
        [
          explained.would,
          explained.error?.code ?? explained.authentication?.reason ?? null,
          withoutSeconds(explained.error?.message),
        ],
        [made.would, made.code, withoutSeconds(made.message)],
      )
      const isAdmitted = step === null || AFTER_ADMISSION.includes(step)
      assert.deepEqual(await recordsOf(call), isAdmitted ? [{ ended_at_step: step }] : [])
    })

  it('result_rules: a result that a rule blocks', async () => {
    const call = await prepare({
      name: '',
      step: null,
      code: null,
      prepare: async each => {
        await addServer(each)
        await setEmailRule(each, { outbound_action: 'block' })
        return { tool: 'work__lookup', args: {} }
      },
      isLinked: false,
    })
    server.answer = text('ana@example.com')
    assert.equal((await explain(call)).would, 'run')
    assert.equal(outcomeOf(await make(call)).code, 'security_rule_blocked')
    assert.deepEqual(await recordsOf(call), [{ ended_at_step: 'result_rules' }])
  })
})

const AFTER_ADMISSION: CallStepName[] = [
  'plan_limit',
  'daily_limit',
  'rate_limit',
  'arguments',
  'security_rules',
  'account',
  'credential',
  'scopes',
  'token',
]

type Outcome = { would: Explanation['would']; code: string | null; message?: string }

const outcomeOf = ({ status, body }: Answer): Outcome => {
  if (status >= 400) return { would: 'reject', ...body.error }
  const { isError, structuredContent: content } = body.result
  if (isError) return { would: 'reject', ...content.error }
  if (content?.type === 'authenticate_meta') return { would: 'request_authentication', code: content.reason }
  return { would: 'run', code: null }
}

/** Time passes between the two requests. */
const withoutSeconds = (message = ''): string => message.replace(/\d+ s\./, 'N s.')
