import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { exampleEvent } from '@carabiner/contract'
import { Webhook } from 'standardwebhooks'
import { createSecret, signatureHeaders, signerOf } from '../../../server/src/core/webhook-signature.ts'
import {
  verifyPolicyHook,
  verifyWebhook,
  verifyWebhookBatch,
  WebhookError,
  type WebhookHeaders,
} from '../src/index.ts'

const NOW = Date.parse('2026-11-01T12:00:00Z')
const secret = `whsec_${randomBytes(32).toString('base64')}`
const event = {
  ...exampleEvent('link.completed'),
  data: { ...exampleEvent('link.completed').data, name: 'é' },
}
const body = JSON.stringify(event)

/** Signs as the official library does. */
const sign = (text: string, { secrets = [secret], at = NOW, id = event.id } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': secrets.map(each => new Webhook(each).sign(id, new Date(at), text)).join(' '),
})
/** Signs as the service does. */
const signV1a = (text: string) => {
  const { secret: privateKey, publicKey } = createSecret('v1a')
  const headers = signatureHeaders({ id: event.id, sentAt: new Date(NOW), body: text }, [
    signerOf(privateKey),
  ])
  return { headers, publicKey: publicKey as string, privateKey }
}
const rejects = (promise: Promise<unknown>, code: string, what?: string) =>
  assert.rejects(promise, (error: unknown) => error instanceof WebhookError && error.code === code, what)

test('verifyWebhook: returns the event, from every form of headers and body', async () => {
  const headers = sign(body)
  const bytes = new TextEncoder().encode(body)
  const capitalized = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  for (const given of [headers, new Headers(headers), capitalized])
    for (const form of [body, bytes, Buffer.from(body), bytes.buffer])
      assert.deepEqual(await verifyWebhook(given, form, secret, NOW), event)
})

test('verifyWebhook: verifies v1a with the public key alone', async () => {
  const { headers, publicKey } = signV1a(body)
  const verified = await verifyWebhook(headers, body, publicKey, NOW)
  assert.equal(verified.type, 'link.completed')
  if (verified.type === 'link.completed') assert.equal(verified.data.connector_slug, 'github')
  await rejects(verifyWebhook(headers, body, signV1a(body).publicKey, NOW), 'signature_mismatch')
})

test('verifyWebhook: one of several signatures is enough, as during a rotation', async () => {
  const next = `whsec_${randomBytes(32).toString('base64')}`
  const headers = sign(body, { secrets: [next, secret] })
  for (const each of [secret, next]) assert.deepEqual(await verifyWebhook(headers, body, each, NOW), event)
  const other = `whsec_${randomBytes(32).toString('base64')}`
  await rejects(verifyWebhook(headers, body, other, NOW), 'signature_mismatch')
})

test('verifyWebhook: a signature of the other version does not count', async () => {
  const { headers, publicKey } = signV1a(body)
  await rejects(verifyWebhook(headers, body, secret, NOW), 'signature_mismatch')
  await rejects(verifyWebhook(sign(body), body, publicKey, NOW), 'signature_mismatch')
  // The public key is not secret, so it must not be accepted as the key of an HMAC.
  const forged = sign(body, { secrets: [publicKey.replace('whpk_', 'whsec_')] })
  await rejects(verifyWebhook(forged, body, publicKey, NOW), 'signature_mismatch')
})

for (const [version, headers, key] of [
  ['v1', sign(body), secret],
  (() => {
    const { headers: signed, publicKey } = signV1a(body)
    return ['v1a', signed, publicKey] as const
  })(),
] as const) {
  test(`verifyWebhook: rejects a change of any character of the body or the signature (${version})`, async () => {
    const bytes = new TextEncoder().encode(body)
    for (let n = 0; n < bytes.length; n++) {
      const changed = bytes.slice()
      changed[n] = (changed[n] as number) ^ 1
      await rejects(verifyWebhook(headers, changed, key, NOW), 'signature_mismatch', `byte ${n}`)
    }
    for (const changed of [body.slice(0, -1), `${body} `, ` ${body}`, ''])
      await rejects(verifyWebhook(headers, changed, key, NOW), 'signature_mismatch', changed)
    const signature = headers['webhook-signature']
    // The last characters encode padding, whose bits are ignored.
    for (let n = 0; n < signature.length - 3; n++) {
      const changed = signature.slice(0, n) + (signature[n] === 'A' ? 'B' : 'A') + signature.slice(n + 1)
      const given = { ...headers, 'webhook-signature': changed }
      await rejects(verifyWebhook(given, body, key, NOW), 'signature_mismatch', changed)
    }
  })

  test(`verifyWebhook: rejects another ID, timestamp or signature list (${version})`, async () => {
    const attempt = (changed: Record<string, string>) =>
      verifyWebhook({ ...headers, ...changed }, body, key, NOW)
    const seconds = NOW / 1000
    for (const changed of [
      { 'webhook-id': `${event.id}0` },
      { 'webhook-id': event.id.slice(0, -1) },
      { 'webhook-timestamp': String(seconds + 1) },
      { 'webhook-timestamp': `0${seconds}` },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': 'v1a,' },
      { 'webhook-signature': 'v1,%%% v1a,%%% v2,x' },
      { 'webhook-signature': `${headers['webhook-signature']}=` },
      { 'webhook-signature': headers['webhook-signature'].replace(/^v1a?,/, '') },
    ])
      await rejects(attempt(changed), 'signature_mismatch', JSON.stringify(changed))
    // The parts are joined with dots, so a dot must not move from one to the next.
    await rejects(
      attempt({ 'webhook-id': `${event.id}.${seconds}`, 'webhook-timestamp': '1' }),
      'timestamp_too_old',
    )
  })
}

test('verifyWebhook: names a missing header', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const { [name]: removed, ...others } = sign(body) as Record<string, string>
    assert.ok(removed)
    await rejects(verifyWebhook(others, body, secret, NOW), 'header_missing')
    await rejects(verifyWebhook(new Headers(others), body, secret, NOW), 'header_missing')
    await rejects(verifyWebhook({ ...others, [name]: '' }, body, secret, NOW), 'header_missing')
    await rejects(verifyWebhook({ ...others, [name]: undefined }, body, secret, NOW), 'header_missing')
  }
})

test('verifyWebhook: accepts five minutes in both directions, and no more', async () => {
  const at = (seconds: number) => verifyWebhook(sign(body, { at: NOW + seconds * 1000 }), body, secret, NOW)
  for (const seconds of [-300, -1, 1, 300]) assert.deepEqual(await at(seconds), event)
  await rejects(at(-301), 'timestamp_too_old')
  await rejects(at(301), 'timestamp_too_new')
  for (const timestamp of ['now', '-1', '1e9', '0x10', `${NOW / 1000}.5`, ' 1', 'NaN'])
    await rejects(
      verifyWebhook({ ...sign(body), 'webhook-timestamp': timestamp }, body, secret, NOW),
      'timestamp_invalid',
      timestamp,
    )
})

test('verifyWebhook: the default clock is the current time', async () => {
  assert.deepEqual(await verifyWebhook(sign(body, { at: Date.now() }), body, secret), event)
  await rejects(verifyWebhook(sign(body, { at: 0 }), body, secret), 'timestamp_too_old')
})

test('verifyWebhook: rejects a signed body that is not an event', async () => {
  for (const text of ['{', 'null', '[]', '"x"', '{"id":1,"type":"x"}', `${body}\n${body}`])
    await rejects(verifyWebhook(sign(text), text, secret, NOW), 'body_invalid', text)
  const bytes = Buffer.from([0x22, 0xff, 0x22])
  const [, key = ''] = secret.split('_')
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${event.id}.${NOW / 1000}.`)
    .update(bytes)
    .digest('base64')
  const headers = { ...sign(body), 'webhook-signature': `v1,${signature}` }
  await rejects(verifyWebhook(headers, bytes, secret, NOW), 'body_invalid')
})

test('verifyWebhook: an invalid secret or a parsed body is an error of the program, and the secret is not shown', async () => {
  for (const invalid of [
    '',
    'whsec_',
    'whpk_',
    'whsec_%',
    'cb_sk_live_x',
    'whpk_c2hvcnQ=',
    `whsk_${randomBytes(32).toString('base64')}`,
  ])
    await assert.rejects(
      verifyWebhook(sign(body), body, invalid, NOW),
      (error: Error) =>
        error instanceof TypeError && (invalid.length < 8 || !error.message.includes(invalid)),
      invalid,
    )
  await assert.rejects(verifyWebhook(sign(body), event as unknown as string, secret, NOW), {
    name: 'TypeError',
    message: /parsed/,
  })
  await assert.rejects(verifyWebhook(sign(body), body, undefined as unknown as string, NOW), TypeError)
})

const events = [event, exampleEvent('credential.needs_reauth'), exampleEvent('tool_call.completed')]
const lines = events.map(each => JSON.stringify(each)).join('\n')

test('verifyWebhookBatch: returns the events, from a body with and without compression', async () => {
  const headers: WebhookHeaders = sign(lines, { id: 'batch_1' })
  for (const given of [lines, Buffer.from(lines), gzipSync(lines), new Uint8Array(gzipSync(lines)).buffer])
    assert.deepEqual(await verifyWebhookBatch(headers, given, secret, NOW), events)
  await rejects(verifyWebhookBatch(headers, lines.replace('é', 'e'), secret, NOW), 'signature_mismatch')
  await rejects(verifyWebhookBatch(headers, gzipSync(`${lines} `), secret, NOW), 'signature_mismatch')
  await rejects(verifyWebhook(headers, lines, secret, NOW), 'body_invalid')
})

test('verifyWebhookBatch: rejects damaged and oversized compression', async () => {
  const headers = sign(lines, { id: 'batch_1' })
  const compressed = gzipSync(lines)
  for (const damaged of [compressed.subarray(0, -9), compressed.subarray(0, 4)])
    await rejects(verifyWebhookBatch(headers, damaged, secret, NOW), 'body_invalid')
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  assert.ok(bomb.length < 100_000)
  await rejects(verifyWebhookBatch(headers, bomb, secret, NOW), 'body_too_large')
  await rejects(verifyWebhookBatch(sign(lines, { at: 0 }), bomb, secret, NOW), 'timestamp_too_old')
})

test('verifyPolicyHook: returns the request, and rejects another signature and another kind of request', async () => {
  const request = JSON.stringify({ id: event.id, type: 'policy.hook', stage: 'request' })
  assert.equal((await verifyPolicyHook(sign(request), request, secret, NOW)).stage, 'request')
  await rejects(verifyPolicyHook(sign(`${request} `), request, secret, NOW), 'signature_mismatch')
  await rejects(verifyPolicyHook(sign(body), body, secret, NOW), 'body_invalid', 'an event')
})
