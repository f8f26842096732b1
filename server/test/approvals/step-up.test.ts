import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { PasskeyAssertion } from '@carabiner/contract'
import { RECEIPT_KEYS_PATH, type ReceiptPayload } from '@carabiner/contract/approval-receipt'
import { decideAs } from '../../src/features/approvals/decide-approval.ts'
import { MEMBERS } from '../../src/features/approvals/deciders.ts'
import { usePasskey, verifyPasskey } from '../../src/features/members/passkeys/verify-passkey.ts'
import { type Bank, openBank, serveBank } from '../support/approvals/bank.ts'
import { flowEngines } from '../support/databases.ts'
import { type HostileServer, startHostileMcp } from '../support/hostile-mcp.ts'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { addPasskey } from '../support/software-passkey.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`approvals with a passkey on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let bank: Bank
    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      bank = serveBank(server)
    })
    after(async () => {
      await t.stop()
      await server.close()
    })

    /** An organization whose rule asks for a passkey, and a call that waits. */
    const open = async () => {
      bank.received = []
      const opened = await openBank(t, server)
      const { api, must, member, pay, organization } = opened
      const [rule] = (await must('GET', '/policy-rules')).data
      await must('PATCH', `/policy-rules/${rule.id}`, { step_up: true })
      const ask = async (args: object): Promise<{ id: string; digest: string; challenge: Buffer }> => {
        const { result } = await pay(args)
        const id = result.structuredContent.approval_id
        const { approval_digest: digest } = await opened.read(id)
        return { id, digest, challenge: Buffer.from(digest, 'hex') }
      }
      const approve = (
        { id, digest }: { id: string; digest: string },
        assertion: PasskeyAssertion | null,
        by: PersonSession = member,
      ) =>
        by.call('POST', `/api/v1/approvals/${id}/decision`, {
          body: { decision: 'approve', approval_digest: digest, ...(assertion && { assertion }) },
        })
      const receiptOf = (id: string) => member.call('GET', `/api/v1/approvals/${id}/receipt`)
      const paid = async (args: object): Promise<unknown> =>
        (await pay(args)).result.structuredContent ?? 'paid'
      return { ...opened, rule, api, organization, ask, approve, receiptOf, paid }
    }
    type Opened = Awaited<ReturnType<typeof open>>

    const codeOf = ({ status, body }: { status: number; body: any }) => body.error?.code ?? status

    it('a rule with step_up is approved with a passkey of the member, and leaves a receipt that proves it [approval.step-up]', async () => {
      const { ask, approve, member, organization, receiptOf, read, paid, user } = await open()
      const asked = await ask({ amount: 5 })
      const options = await member.call('GET', `/api/v1/approvals/${asked.id}/passkeys`)
      assert.deepEqual(options.body, {
        challenge: asked.challenge.toString('base64url'),
        rp_id: new URL(t.baseUrl).hostname,
        passkeys: [],
      })
      const passkey = await addPasskey(t, member.id)
      const { body } = await member.call('GET', `/api/v1/approvals/${asked.id}/passkeys`)
      assert.deepEqual(body.passkeys, [{ credential_id: passkey.credentialId, transports: [] }])
      assert.equal(codeOf(await approve(asked, null)), 'passkey_required')
      assert.equal(codeOf(await receiptOf(asked.id)), 'approval_receipt_not_found')
      const assertion = passkey.sign(asked.challenge, { counter: 1 })
      const approved = await approve(asked, assertion)
      assert.equal(approved.body.status, 'approved', approved.text)
      assert.deepEqual(
        approved.body.decisions.map((each: any) => [each.decision, each.with_passkey]),
        [['approve', true]],
      )
      assert.equal((await read(asked.id)).rules[0].step_up, true)
      assert.equal(await paid({ amount: 5 }), 'paid')
      assert.deepEqual(bank.received, [{ amount: 5 }])

      const receipt = (await receiptOf(asked.id)).body
      const keys = await t.call('GET', RECEIPT_KEYS_PATH, { key: null })
      const [jwk] = keys.body.keys
      const text = Buffer.from(`${receipt.protected}.${receipt.payload}`)
      const signature = Buffer.from(receipt.signature, 'base64url')
      assert.ok(verify(null, text, createPublicKey({ key: jwk, format: 'jwk' }), signature))
      assert.equal(JSON.parse(Buffer.from(receipt.protected, 'base64url').toString()).kid, jwk.kid)
      assert.equal(jwk.d, undefined)
      const payload: ReceiptPayload = JSON.parse(Buffer.from(receipt.payload, 'base64url').toString())
      const { credential_id, ...signed } = assertion
      assert.deepEqual(
        [payload.approval_id, payload.approval_digest, payload.decision, payload.assertion],
        [asked.id, asked.digest, 'approve', signed],
      )
      assert.deepEqual(payload.person, { id: member.id, name: 'Mia Chen', email: member.email })
      assert.equal(payload.organization.id, organization.id)
      assert.deepEqual(
        [payload.call.connector_slug, payload.call.tool, payload.call.registered_user_id],
        ['bank', 'pay', user.id],
      )
      assert.equal(payload.passkey.credential_id, credential_id)
      assert.ok(!JSON.stringify(payload).includes('amount'), 'a receipt contains no arguments')
    })

    it('a receipt is readable by members and keys of the group `approvals`, in its organization and mode [approval.receipt]', async () => {
      const { ask, approve, member, organization, must, api } = await open()
      const asked = await ask({ amount: 1 })
      const passkey = await addPasskey(t, member.id)
      assert.equal(codeOf(await approve(asked, passkey.sign(asked.challenge))), 200)
      const path = `/approvals/${asked.id}/receipt`
      assert.equal(codeOf(await api('GET', path)), 'key_group_required')
      const created = await must('POST', '/api-keys', { mode: 'production' })
      await t.query(`update api_keys set groups = '{approvals}' where id = $1`, [created.id])
      assert.equal(codeOf(await api('GET', path, undefined, created.key)), 200)
      const reader = await signInPerson(t, { role: 'read_only', organizationId: organization.id })
      assert.equal(codeOf(await reader.call('GET', `/api/v1${path}`)), 200)
      assert.equal(codeOf(await reader.call('GET', `/api/v1${path}`, { mode: 'test' })), 'approval_not_found')
      const stranger = await openBank(t, server)
      assert.equal(codeOf(await stranger.member.call('GET', `/api/v1${path}`)), 'approval_not_found')
    })

    for (const algorithm of ['RS256', 'EdDSA'] as const)
      it(`accepts passkeys with ${algorithm} [approval.step-up]`, async () => {
        const { ask, approve, member } = await open()
        const asked = await ask({ amount: 1 })
        const passkey = await addPasskey(t, member.id, algorithm)
        assert.equal(codeOf(await approve(asked, passkey.sign(asked.challenge))), 200)
      })

    const wrong: [
      name: string,
      sign: (opened: Opened, asked: { challenge: Buffer }) => Promise<PasskeyAssertion>,
    ][] = [
      ['another challenge', async ({ member }) => (await addPasskey(t, member.id)).sign(Buffer.alloc(32, 1))],
      [
        'the digest of another approval',
        async ({ member, ask }) =>
          (await addPasskey(t, member.id)).sign((await ask({ amount: 2 })).challenge),
      ],
      [
        'an unverified user',
        async ({ member }, { challenge }) =>
          (await addPasskey(t, member.id)).sign(challenge, { isUserVerified: false }),
      ],
      [
        'a passkey of another person',
        async ({ organization }, { challenge }) => {
          const other = await signInPerson(t, { role: 'admin', organizationId: organization.id })
          return (await addPasskey(t, other.id)).sign(challenge)
        },
      ],
      [
        'a passkey of another person under the ID of an own one',
        async ({ member, organization }, { challenge }) => {
          const other = await signInPerson(t, { role: 'admin', organizationId: organization.id })
          const own = await addPasskey(t, member.id)
          return { ...(await addPasskey(t, other.id)).sign(challenge), credential_id: own.credentialId }
        },
      ],
      [
        'another origin',
        async ({ member }, { challenge }) =>
          (await addPasskey(t, member.id)).sign(challenge, { origin: 'https://evil.example' }),
      ],
      [
        'another domain',
        async ({ member }, { challenge }) =>
          (await addPasskey(t, member.id)).sign(challenge, { rpId: 'evil.example' }),
      ],
      [
        'a registration',
        async ({ member }, { challenge }) =>
          (await addPasskey(t, member.id)).sign(challenge, { type: 'webauthn.create' }),
      ],
      [
        'a counter that goes back',
        async ({ member }, { challenge }) => {
          const passkey = await addPasskey(t, member.id)
          await t.query('update people_passkeys set counter = 5 where user_id = $1', [member.id])
          return passkey.sign(challenge, { counter: 4 })
        },
      ],
      [
        'a changed signature',
        async ({ member }, { challenge }) => {
          const signed = (await addPasskey(t, member.id)).sign(challenge)
          return { ...signed, signature: (await addPasskey(t, member.id)).sign(challenge).signature }
        },
      ],
      [
        'no signature at all',
        async ({ member }) => {
          const { credentialId } = await addPasskey(t, member.id)
          const nothing = { client_data_json: 'AA', authenticator_data: 'AA', signature: 'AA' }
          return { credential_id: credentialId, ...nothing }
        },
      ],
    ]
    for (const [name, sign] of wrong)
      it(`rejects ${name} [approval.step-up]`, async () => {
        const opened = await open()
        const asked = await opened.ask({ amount: 1 })
        const rejected = await opened.approve(asked, await sign(opened, asked))
        assert.equal(codeOf(rejected), 'passkey_rejected')
        const unchanged = await opened.read(asked.id)
        assert.deepEqual([unchanged.status, unchanged.decisions], ['pending', []])
        assert.equal(codeOf(await opened.receiptOf(asked.id)), 'approval_receipt_not_found')
        // The same person can still approve.
        const passkey = await addPasskey(t, opened.member.id)
        assert.equal(codeOf(await opened.approve(asked, passkey.sign(asked.challenge))), 200)
      })

    it('an assertion counts once: of concurrent decisions one leaves a receipt, and its repeat changes nothing [approval.step-up]', async () => {
      const { ask, approve, member, receiptOf, organization } = await open()
      const asked = await ask({ amount: 1 })
      const assertion = (await addPasskey(t, member.id)).sign(asked.challenge, { counter: 3 })
      const other = await signInPerson(t, { role: 'admin', organizationId: organization.id })
      const ofOther = (await addPasskey(t, other.id)).sign(asked.challenge, { counter: 3 })
      const codes = await Promise.all([
        ...Array.from({ length: 4 }, async () => codeOf(await approve(asked, assertion))),
        ...Array.from({ length: 4 }, async () => codeOf(await approve(asked, ofOther, other))),
      ])
      assert.ok(
        codes.every(code => code === 200 || code === 'passkey_rejected'),
        codes.join(),
      )
      const first = (await receiptOf(asked.id)).body
      assert.equal(codeOf(await approve(asked, assertion)), 200)
      assert.deepEqual((await receiptOf(asked.id)).body, first)
      const counters = await t.query(
        'select user_id from people_passkeys where counter = 3 and user_id = any($1)',
        [[member.id, other.id]],
      )
      assert.equal(counters.length, 1, 'one assertion was used up')
    })

    it('no decision of a member without a passkey is recorded, whatever has called [approval.step-up]', async () => {
      const { ask, member, organization, read } = await open()
      const { id, challenge: digest } = await ask({ amount: 1 })
      const of = { organizationId: organization.id, mode: 'production', id } as const
      const decision = { decider: MEMBERS, personId: member.id, decision: 'approve', digest } as const
      const decided = await decideAs(t.service.features, of, { ...decision, reason: null, remember: null })
      assert.equal(decided, null)
      assert.deepEqual((await read(id)).decisions, [])
    })

    it('a counter is used once, also by assertions that were verified at the same time [approval.step-up]', async () => {
      const { ask, member } = await open()
      const { db } = t.service.features
      const passkey = await addPasskey(t, member.id)
      const verified = await Promise.all(
        [await ask({ amount: 1 }), await ask({ amount: 2 })].map(({ challenge }) =>
          verifyPasskey(
            { db, baseUrl: t.baseUrl },
            { personId: member.id, challenge, assertion: passkey.sign(challenge, { counter: 7 }) },
          ),
        ),
      )
      const used = await Promise.allSettled(verified.map(each => db.transaction(tx => usePasskey(tx, each))))
      assert.deepEqual(used.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    })

    it('denying needs no passkey, and takes an approval and its receipt back [approval.step-up]', async () => {
      const { ask, approve, decide, member, receiptOf, paid } = await open()
      const denied = await ask({ amount: 1 })
      await decide(denied.id, 'deny')
      const asked = await ask({ amount: 2 })
      const passkey = await addPasskey(t, member.id)
      assert.equal(codeOf(await approve(asked, passkey.sign(asked.challenge))), 200)
      await decide(asked.id, 'deny')
      assert.equal(codeOf(await receiptOf(asked.id)), 'approval_receipt_not_found')
      assert.equal(((await paid({ amount: 2 })) as any).error.code, 'approval_denied')
    })

    it('without a passkey nothing is signed: other approvals have no receipt, even with an assertion [approval.receipt]', async () => {
      const { rule, ask, approve, member, must, receiptOf } = await open()
      const policies = await must('POST', '/api-keys', { mode: 'production' })
      await t.query(`update api_keys set groups = '{policies}' where id = $1`, [policies.id])
      const loosened = await t.call('PATCH', `/api/v1/policy-rules/${rule.id}`, {
        key: policies.key,
        body: { step_up: false },
      })
      assert.equal(loosened.status, 200, loosened.text)
      const asked = await ask({ amount: 1 })
      const passkey = await addPasskey(t, member.id)
      const approved = await approve(asked, passkey.sign(asked.challenge, { origin: 'https://evil.example' }))
      assert.equal(approved.body.decisions[0].with_passkey, false)
      assert.equal(codeOf(await receiptOf(asked.id)), 'approval_receipt_not_found')
    })

    it('an approval without a passkey is void once a rule asks for one [approval.void]', async () => {
      const opened = await openBank(t, server)
      const { must, pay, decide, read } = opened
      const first = (await pay({ amount: 1 })).result.structuredContent.approval_id
      await decide(first, 'approve')
      const [rule] = (await must('GET', '/policy-rules')).data
      await must('PATCH', `/policy-rules/${rule.id}`, { step_up: true })
      bank.received = []
      const asked = (await pay({ amount: 1 })).result.structuredContent
      assert.equal(asked.type, 'approval_meta')
      assert.notEqual(asked.approval_id, first)
      assert.deepEqual([(await read(first)).status, bank.received], ['void', []])
      assert.equal((await read(asked.approval_id)).rules[0].step_up, true)
    })

    it('a key can turn step_up on, but not off, and only for rules that members decide about [policy.step-up]', async () => {
      const { api, rule, must } = await open()
      const path = `/policy-rules/${rule.id}`
      assert.equal(codeOf(await api('PATCH', path, { step_up: false })), 'key_group_required')
      assert.equal(codeOf(await api('PATCH', path, { step_up: true, effect: 'deny' })), 200)
      assert.equal(codeOf(await api('PATCH', path, { step_up: true, when: 'true' })), 'key_group_required')
      const named = { name: 'Reading', effect: 'ask', tools: ['bank__read'], step_up: true }
      assert.equal((await must('POST', '/policy-rules', named)).step_up, true)
      const created = await must('POST', '/api-keys', { mode: 'production' })
      await t.query(`update api_keys set groups = '{policies,read}' where id = $1`, [created.id])
      for (const approvers of [['user'], ['user', 'members']]) {
        const body = { ...named, name: 'Users', approvers }
        const rejected = await api('POST', '/policy-rules', body, created.key)
        assert.deepEqual([codeOf(rejected), rejected.body.error.param], ['invalid_request', 'step_up'])
        const tested = await api('POST', '/policy-rules/test', body, created.key)
        assert.deepEqual(
          tested.body.issues.map(({ param }: any) => param),
          ['step_up'],
        )
        const patched = await api('PATCH', path, { approvers }, created.key)
        assert.equal(patched.body.error.param, 'step_up')
        const set = await api('PUT', '/policy', { default: 'allow', rules: [body] }, created.key)
        assert.equal(set.body.error.param, 'rules.0.step_up')
      }
      assert.equal(codeOf(await api('PATCH', path, { step_up: false }, created.key)), 200)
      assert.equal(codeOf(await api('PATCH', path, { approvers: ['user'] }, created.key)), 200)
    })

    it('a receipt is kept after the call was deleted, and deleted with the user [approval.receipt]', async () => {
      const { ask, approve, member, receiptOf, must, user, organization } = await open()
      const asked = await ask({ amount: 1 })
      const passkey = await addPasskey(t, member.id)
      assert.equal(codeOf(await approve(asked, passkey.sign(asked.challenge))), 200)
      const seen = await member.call('GET', `/api/v1/approvals/${asked.id}/call`)
      assert.equal(JSON.parse(seen.body.frozen_call).arguments.amount, 1)
      await must('POST', `/approvals/${asked.id}/withdraw`)
      await t.query('update approvals set sealed = null where id = $1', [asked.id])
      assert.equal(codeOf(await receiptOf(asked.id)), 200)
      await must('DELETE', `/registered-users/${user.id}`)
      const rows = await t.query('select from approval_decisions where organization_id = $1', [
        organization.id,
      ])
      assert.equal(rows.length, 0)
    })
  })
