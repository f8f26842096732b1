import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallbackError, readCallback } from '../src/index.ts'

const STATE = 'st-7Qm2vK'

const accepted: [url: string | URL, callback: object][] = [
  [
    `https://app.example.com/linked?status=success&code=cb_code_1&state=${STATE}`,
    { status: 'success', code: 'cb_code_1', state: STATE },
  ],
  [
    new URL(`https://app.example.com/linked?a=1&status=exit&state=${STATE}#top`),
    { status: 'exit', state: STATE },
  ],
  [`/linked?status=error&state=${STATE}`, { status: 'error', state: STATE }],
  [`myapp:///linked?status=exit&state=${STATE}`, { status: 'exit', state: STATE }],
  [`?status=exit&state=${STATE}`, { status: 'exit', state: STATE }],
]
for (const [url, callback] of accepted)
  test(`reads ${String(url)}`, () => assert.deepEqual(readCallback(url, STATE), callback))

const rejected: [query: string, code: string][] = [
  ['', 'state_missing'],
  ['status=success&code=c', 'state_missing'],
  ['status=success&code=c&state=', 'state_mismatch'],
  [`status=success&code=c&state=${STATE}x`, 'state_mismatch'],
  [`status=success&code=c&state=${STATE.slice(0, -1)}`, 'state_mismatch'],
  [`status=success&code=c&state=${STATE.toLowerCase()}`, 'state_mismatch'],
  [`status=success&code=c&state=${STATE}&state=${STATE}`, 'parameter_repeated'],
  [`status=success&code=c&state=${STATE}&st%61te=other`, 'parameter_repeated'],
  [`status=success&code=c&code=d&state=${STATE}`, 'parameter_repeated'],
  [`status=success&status=exit&state=${STATE}`, 'parameter_repeated'],
  [`state=${STATE}`, 'status_missing'],
  [`status=&state=${STATE}`, 'status_unknown'],
  [`status=Success&code=c&state=${STATE}`, 'status_unknown'],
  [`status=success&state=${STATE}`, 'code_missing'],
  [`status=success&code=&state=${STATE}`, 'code_missing'],
  [`status=exit&code=c&state=${STATE}`, 'code_unexpected'],
]
for (const [query, code] of rejected)
  test(`rejects "${query}": ${code}`, () =>
    assert.throws(
      () => readCallback(`https://app.example.com/linked?${query}`, STATE),
      (error: unknown) => error instanceof CallbackError && error.code === code,
    ))

test('rejects an invalid URL', () =>
  assert.throws(() => readCallback('https://[', STATE), { name: 'CallbackError', code: 'invalid_url' }))

test('throws a TypeError if the expected state is empty or undefined', () => {
  for (const missing of ['', undefined as unknown as string])
    assert.throws(() => readCallback('https://x/?status=success&code=c&state=', missing), TypeError)
})

test('reads only the status if the expected state is null', () => {
  assert.deepEqual(readCallback('https://x/?status=success', null), { status: 'success' })
  for (const [query, code] of [
    ['status=success&code=c', 'code_unexpected'],
    ['status=success&state=s', 'state_unexpected'],
    ['', 'status_missing'],
  ])
    assert.throws(() => readCallback(`https://x/?${query}`, null), { code })
})

test('an error contains neither the code nor the expected state', () =>
  assert.throws(
    () => readCallback('https://x/?status=success&code=cb_code_secret&state=no', STATE),
    (error: Error) => !/secret|7Qm2vK/.test(`${error.message}${error.stack}`),
  ))
