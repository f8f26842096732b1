import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createSigner } from '../../platform/vault/vault.ts'
import { createBrowserBinding } from './browser-binding.ts'

const LINK = 'https://link.example.com'
const browsers = createBrowserBinding(
  createSigner(createSecretKey(Buffer.alloc(32, 7))),
  LINK,
  `${LINK}/link`,
)
const from = (origin: string) => ({ headers: { origin } }) as FastifyRequest

test('browser binding: tokens are masked differently each time and remain valid', () => {
  const tokens = Array.from({ length: 50 }, () => browsers.framedToken('handle'))
  assert.equal(new Set(tokens).size, 50)
  // Every position varies, so that the size of a compressed page reveals nothing about the token.
  for (let i = 0; i < 40; i++) assert.ok(new Set(tokens.map(token => token[i])).size > 5, `character ${i}`)
  for (const token of tokens) assert.ok(browsers.verifyFramed(from(LINK), 'handle', token))
})

test('browser binding: rejects truncated, extended, re-encoded and foreign tokens', () => {
  const token = browsers.framedToken('handle')
  for (const wrong of [
    '',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    token.slice(2),
    'AAAA',
    'A',
  ])
    assert.ok(!browsers.verifyFramed(from(LINK), 'handle', wrong), JSON.stringify(wrong))
  assert.ok(!browsers.verifyFramed(from(LINK), 'other', token))
})

test('browser binding: accepts a page token only from Link’s own origin', () => {
  const token = browsers.framedToken('handle')
  for (const origin of [
    'null',
    'https://app.example.com',
    `${LINK}:444`,
    'http://link.example.com',
    `${LINK}/`,
  ])
    assert.ok(!browsers.verifyFramed(from(origin), 'handle', token), origin)
})
