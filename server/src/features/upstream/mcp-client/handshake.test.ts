import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from './exchange.ts'
import { detectEra, type Era } from './handshake.ts'

const result = (supportedVersions: unknown): Reply => ({
  kind: 'result',
  status: 200,
  headers: {},
  result: { supportedVersions },
})
const error = (code: number, data: unknown, status = 400): Reply => ({
  kind: 'error',
  status,
  headers: {},
  error: { code, message: '', data },
})
const status = (code: number): Reply => ({ kind: 'status', status: code, headers: {} })

test('handshake: the response to server/discover determines the era', () => {
  const table: [Reply, Era][] = [
    [result(['2026-07-28']), 'stateless'],
    [result(['2025-11-25', '2026-07-28']), 'stateless'],
    [result(['2025-11-25']), 'handshake'],
    [result(['2030-01-01']), 'neither'],
    [result(undefined), 'handshake'],
    [result('2026-07-28'), 'handshake'],
    [error(-32022, { supported: ['2025-06-18'] }), 'handshake'],
    [error(-32022, { supported: ['2026-07-28'] }), 'contradictory'],
    [error(-32022, { supported: ['2030-01-01'] }), 'neither'],
    [error(-32022, null), 'handshake'],
    [error(-32601, null, 404), 'handshake'],
    [error(-32601, null, 200), 'handshake'],
    [error(-32000, null), 'handshake'],
    [error(-32001, null, 404), 'handshake'],
    [error(-32020, null), 'handshake'],
    ...[400, 404, 405, 406, 415, 500].map((code): [Reply, Era] => [status(code), 'handshake']),
    ...[301, 308, 401, 403].map((code): [Reply, Era] => [status(code), 'unclear']),
    [{ kind: 'unusable', status: 200, headers: {} }, 'handshake'],
  ]
  for (const [reply, era] of table) assert.equal(detectEra(reply), era, JSON.stringify(reply))
})
