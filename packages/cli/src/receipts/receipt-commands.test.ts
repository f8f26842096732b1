import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { RECEIPT_KEYS_PATH, type ReceiptPayload } from '@carabiner/contract/approval-receipt'
import { signReceipt } from '../../../../server/src/features/approvals/receipts/sign-receipt.ts'
import { deriveReceiptKey, type ReceiptKey } from '../../../../server/src/platform/vault/receipt-key.ts'
import { openBank, serveBank } from '../../../../server/test/support/approvals/bank.ts'
import { type HostileServer, startHostileMcp } from '../../../../server/test/support/hostile-mcp.ts'
import { addPasskey } from '../../../../server/test/support/software-passkey.ts'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

type Receipt = { payload: string; protected: string; signature: string }

describe('carabiner verify-receipt', () => {
  let t: TestService
  let server: HostileServer
  let folder: string
  let receipt: Receipt
  let keys: object
  let call: { frozen_call: string; nonce: string }
  let email: string
  /** A key of the test, to sign what an installation would not. */
  let own: ReceiptKey
  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
    folder = mkdtempSync(join(tmpdir(), 'carabiner-receipts-'))
    own = deriveReceiptKey(createSecretKey(randomBytes(32)))
    serveBank(server)
    const { must, pay, member, read } = await openBank(t, server)
    email = member.email
    const [rule] = (await must('GET', '/policy-rules')).data
    await must('PATCH', `/policy-rules/${rule.id}`, { step_up: true })
    const { approval_id: id } = (await pay({ amount: 250 })).result.structuredContent
    const { approval_digest } = await read(id)
    const passkey = await addPasskey(t, member.id)
    const assertion = passkey.sign(Buffer.from(approval_digest, 'hex'))
    const path = `/api/v1/approvals/${id}`
    call = (await member.call('GET', `${path}/call`)).body
    const decision = { decision: 'approve', approval_digest, assertion }
    const decided = await member.call('POST', `${path}/decision`, { body: decision })
    assert.equal(decided.status, 200, decided.text)
    receipt = (await member.call('GET', `${path}/receipt`)).body
    keys = (await t.call('GET', RECEIPT_KEYS_PATH, { key: null })).body
  })
  after(async () => {
    await server?.close()
    await t?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  let files = 0
  const write = (value: object): string => {
    const path = join(folder, `${++files}.json`)
    writeFileSync(path, JSON.stringify(value))
    return path
  }
  /** Without the settings of any service: nothing is sent. */
  const run = (given: object, key: object | string, ...words: string[]) =>
    runWords(
      ['verify-receipt', write(given), '--key', typeof key === 'string' ? key : write(key), ...words],
      {},
    )
  const payloadOf = ({ payload }: Receipt): ReceiptPayload =>
    JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  const failedChecks = async (given: object, key: object, ...words: string[]): Promise<string[]> => {
    const { data, failed, text } = await run(given, key, ...words)
    const { valid, checks } = data as { valid: boolean; checks: { name: string; passed: boolean }[] }
    const names = checks.filter(({ passed }) => !passed).map(({ name }) => name)
    assert.deepEqual([valid, failed === true], [names.length === 0, names.length > 0])
    assert.match(text, names.length === 0 ? /^The receipt is valid/ : /^The receipt is NOT valid/)
    return names
  }
  /** All paths to texts and numbers. */
  const leavesOf = (value: unknown, path: string[] = []): string[][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => leavesOf(part, [...path, name]))
      : [path]
  const at = (value: any, path: readonly string[]): any => path.reduce((part, name) => part[name], value)
  const changed = (payload: ReceiptPayload, path: readonly string[], to: unknown): ReceiptPayload => {
    const copy = structuredClone(payload)
    at(copy, path.slice(0, -1))[path.at(-1) as string] = to
    return copy
  }
  const signed = (payload: ReceiptPayload): Receipt => signReceipt(own, payload)

  it('says what was approved, by whom and when, without a connection [approval.receipt-offline]', async () => {
    const { text, data, failed } = await run(receipt, keys, '--call', write(call))
    assert.equal(failed, false)
    assert.match(text, /^The receipt is valid\./)
    assert.match(text, /Approved +bank__pay, once/)
    assert.match(text, new RegExp(`By +Mia Chen <${email}>`))
    assert.match(text, /✓ The call in the file is the approved call\./)
    assert.deepEqual((data as any).receipt, payloadOf(receipt))
    const [jwk] = (keys as { keys: object[] }).keys
    for (const key of [jwk as object, JSON.stringify(jwk), JSON.stringify(keys)])
      assert.equal((await run(receipt, key)).failed, false)
  })

  it('finds every changed field of a receipt [approval.receipt-offline]', async () => {
    const payload = payloadOf(receipt)
    const leaves = leavesOf(payload)
    assert.ok(leaves.length > 20)
    for (const path of leaves) {
      if (['format', 'decision'].includes(path.join('.'))) continue
      const value = at(payload, path)
      const other = changed(payload, path, typeof value === 'string' ? `${value}x` : 'x')
      const text = Buffer.from(JSON.stringify(other)).toString('base64url')
      const found = await failedChecks({ ...receipt, payload: text }, keys)
      assert.ok(found.includes('installation'), path.join('.'))
    }
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    assert.deepEqual(await failedChecks({ ...receipt, protected: header }, keys), ['installation'])
    assert.deepEqual(await failedChecks({ ...receipt, signature: '' }, keys), ['installation'])
    assert.deepEqual(await failedChecks(receipt, own.publicKey), ['installation'])
    assert.deepEqual(await failedChecks(receipt, { kty: 'OKP', crv: 'Ed25519' }), ['installation'])
  })

  it('finds what the passkey has not signed, even if the installation has signed it [approval.receipt-offline]', async () => {
    const payload = payloadOf(receipt)
    assert.deepEqual(await failedChecks(signed(payload), own.publicKey), [])
    const { assertion, passkey } = payload
    const flip = (text: string, position: number, bits: number): string => {
      const bytes = Buffer.from(text, 'base64url')
      bytes[position] = (bytes[position] as number) ^ bits
      return bytes.toString('base64url')
    }
    const clientData = JSON.parse(Buffer.from(assertion.client_data_json, 'base64url').toString('utf8'))
    const withClientData = (part: object) =>
      Buffer.from(JSON.stringify({ ...clientData, ...part })).toString('base64url')
    const { x } = passkey.public_key as { x: string }
    const cases: [path: string, to: string, found: string[]][] = [
      ['approval_digest', 'a'.repeat(64), ['approval']],
      ['approval_digest', '', ['approval']],
      ['passkey.rp_id', 'evil.example', ['site']],
      ['passkey.origin', 'https://evil.example', ['site']],
      ['passkey.public_key.x', flip(x, 0, 1), ['passkey']],
      ['passkey.public_key.alg', 'none', ['passkey']],
      ['passkey.public_key.alg', 'EdDSA', ['passkey']],
      ['assertion.signature', flip(assertion.signature, 20, 1), ['passkey']],
      ['assertion.signature', '', ['passkey']],
      ['assertion.authenticator_data', flip(assertion.authenticator_data, 0, 1), ['passkey', 'site']],
      ['assertion.authenticator_data', flip(assertion.authenticator_data, 32, 1), ['passkey', 'person']],
      ['assertion.authenticator_data', flip(assertion.authenticator_data, 32, 4), ['passkey', 'person']],
      ['assertion.authenticator_data', flip(assertion.authenticator_data, 36, 1), ['passkey']],
      ['assertion.authenticator_data', '', ['passkey', 'site', 'person']],
      ['assertion.client_data_json', withClientData({ challenge: 'AA' }), ['passkey', 'approval']],
      ['assertion.client_data_json', withClientData({ type: 'webauthn.create' }), ['passkey', 'approval']],
      ['assertion.client_data_json', withClientData({ origin: 'https://evil.example' }), ['passkey', 'site']],
      ['assertion.client_data_json', 'AA', ['passkey', 'approval', 'site']],
    ]
    for (const [path, to, found] of cases)
      assert.deepEqual(
        await failedChecks(signed(changed(payload, path.split('.'), to)), own.publicKey),
        found,
        `${path}: ${to}`,
      )
  })

  it('finds another call than the approved one [approval.receipt-offline]', async () => {
    const payload = payloadOf(receipt)
    const frozen = JSON.parse(call.frozen_call)
    const other = JSON.stringify({ ...frozen, arguments: { amount: 25 } })
    const without = (given: object) => failedChecks(receipt, keys, '--call', write(given))
    assert.deepEqual(await without(call), [])
    assert.deepEqual(await without({ ...call, frozen_call: other }), ['call'])
    assert.deepEqual(await without({ ...call, frozen_call: `${call.frozen_call} ` }), ['call'])
    assert.deepEqual(await without({ ...call, nonce: '00'.repeat(32) }), ['call'])
    for (const path of ['organization.id', 'call.registered_user_id', 'call.connector_slug', 'call.tool']) {
      const claimed = signed(changed(payload, path.split('.'), 'other'))
      assert.deepEqual(await failedChecks(claimed, own.publicKey, '--call', write(call)), ['call'], path)
    }
  })

  it('shows control characters of names as such', async () => {
    const named = changed(payloadOf(receipt), ['person', 'name'], 'Mia\u001b[2K\u202eChen')
    assert.match((await run(signed(named), own.publicKey)).text, /By +Mia�\[2K�Chen/)
  })

  it('rejects files that contain no receipt, key or call', async () => {
    const usage = { name: 'UsageError' }
    await assert.rejects(run({}, keys), usage)
    await assert.rejects(run({ ...receipt, payload: 'AA' }, keys), usage)
    for (const path of ['format', 'decision', 'person', 'assertion.signature', 'passkey.public_key']) {
      const broken = signed(changed(payloadOf(receipt), path.split('.'), null))
      await assert.rejects(run(broken, own.publicKey), usage, path)
    }
    await assert.rejects(run(receipt, { keys: [] }), usage)
    await assert.rejects(run(receipt, join(folder, 'missing.json')), usage)
    await assert.rejects(run(receipt, keys, '--call', write({})), usage)
    await assert.rejects(runWords(['verify-receipt', write(receipt)], {}), usage)
  })
})
