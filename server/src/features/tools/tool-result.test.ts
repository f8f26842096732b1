import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../core/secret.ts'
import { scrubCredential } from './tool-result.ts'

test('a third party that echoes the credential does not hand it to the model', () => {
  const secret = { kind: 'oauth', accessToken: new Secret('tok"en\\1') } as const
  const echoed = { headers: ['Bearer tok"en\\1'], 'tok"en\\1': { deep: 'xtok"en\\1y' }, other: 1 }
  assert.deepEqual(scrubCredential(echoed, secret), {
    headers: ['Bearer [REDACTED:CREDENTIAL]'],
    '[REDACTED:CREDENTIAL]': { deep: 'x[REDACTED:CREDENTIAL]y' },
    other: 1,
  })
})

test('a result without the credential is handed on as it is', () => {
  const value = { notes: ['a'] }
  assert.equal(scrubCredential(value, { kind: 'api_key', key: new Secret('sv_live_1') }), value)
})
