import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientSecretBasic } from './client-secret-basic.ts'

const sent = async (id: string, secret: string): Promise<string> => {
  const headers = new Headers()
  await clientSecretBasic(secret)({ issuer: 'https://a' }, { client_id: id }, new URLSearchParams(), headers)
  return Buffer.from((headers.get('authorization') ?? '').replace(/^Basic /, ''), 'base64').toString()
}

test('clientSecretBasic: leaves common client IDs and secrets unencoded', async () => {
  assert.equal(await sent('57a6c6fc-0c35_x.y~z', 's-e_c.r~e9t'), '57a6c6fc-0c35_x.y~z:s-e_c.r~e9t')
})

test('clientSecretBasic: form-encodes characters that would break the header', async () => {
  const [id = '', secret = ''] = (await sent('a:b c', 'ü:%+!*')).split(':')
  assert.deepEqual([id, secret], ['a%3Ab+c', '%C3%BC%3A%25%2B%21%2A'])
  assert.equal(new URLSearchParams(`x=${secret}`).get('x'), 'ü:%+!*')
})
