import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { HOUR, SECOND } from '../../core/duration.ts'
import { organizationHandle } from '../../core/token.ts'
import { newUuid } from '../../core/uuid.ts'
import { createSigner } from '../../platform/vault/vault.ts'
import { brandColors } from './brand-colors.ts'
import { brandOf } from './link-customization.ts'
import { previewToken, readPreviewToken } from './link-preview.ts'

describe('a brand', () => {
  const nothing = {
    colors: brandColors({}),
    radius: 20,
    coBranding: true,
    logo: { light: null, dark: null },
    supportUrl: null,
    privacyUrl: null,
    termsUrl: null,
    redirectUri: null,
    connectorOrder: [],
    texts: {},
    defaultLanguage: 'en',
  }

  it('has all defaults if the organization has no settings', () => {
    assert.deepEqual(brandOf(null), nothing)
    const joined = { organizationId: newUuid(), settings: null, lightLogo: null, darkLogo: null }
    assert.deepEqual(brandOf(joined), nothing)
  })

  it('has the organization’s settings, and defaults for the rest', () => {
    const organizationId = newUuid()
    const brand = brandOf({
      organizationId,
      settings: {
        primary_color: '#e8590c',
        radius: 0,
        co_branding: false,
        support_url: 'mailto:help@example.com',
        redirect_uri: 'myapp://done',
        connector_order: ['notes'],
        texts: { de: { 'picker.title': 'Womit?' } },
        default_language: 'de',
      },
      lightLogo: 'ab'.repeat(16),
      darkLogo: null,
    })
    assert.deepEqual(brand, {
      ...nothing,
      colors: brandColors({ primary_color: '#e8590c' }),
      radius: 0,
      coBranding: false,
      logo: { light: `/brand/${organizationHandle(organizationId)}/${'ab'.repeat(16)}.png`, dark: null },
      supportUrl: 'mailto:help@example.com',
      redirectUri: 'myapp://done',
      connectorOrder: ['notes'],
      texts: { de: { 'picker.title': 'Womit?' } },
      defaultLanguage: 'de',
    })
  })
})

describe('a preview token', () => {
  const signer = createSigner(createSecretKey(randomBytes(32)))
  const now = 1_800_000_000_000
  const organizationId = newUuid()
  const token = previewToken(signer, { organizationId, draft: true }, now + HOUR)

  it('names the organization and draft until it expires', () => {
    assert.deepEqual(readPreviewToken(signer, token, now), { organizationId, draft: true })
    assert.deepEqual(readPreviewToken(signer, token, now + HOUR - SECOND), { organizationId, draft: true })
    const live = previewToken(signer, { organizationId, draft: false }, now + HOUR)
    assert.deepEqual(readPreviewToken(signer, live, now), { organizationId, draft: false })
    assert.match(token, /^[0-9a-z.-]+\.[\w-]{22}$/i)
  })

  it('is rejected after an hour', () => {
    assert.equal(readPreviewToken(signer, token, now + HOUR), null)
    assert.equal(readPreviewToken(signer, token, now + 24 * HOUR), null)
  })

  it('is rejected with any character changed, removed or added, or under another key', () => {
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'a' ? 'b' : 'a'
      assert.equal(
        readPreviewToken(signer, token.slice(0, index) + other + token.slice(index + 1), now),
        null,
      )
      assert.equal(readPreviewToken(signer, token.slice(0, index), now), null)
    }
    for (const other of [`${token}a`, `${token}.`, `${token}=`, ` ${token}`, token.toUpperCase(), '', '...'])
      assert.equal(readPreviewToken(signer, other, now), null, other)
    const otherSigner = createSigner(createSecretKey(randomBytes(32)))
    assert.equal(readPreviewToken(otherSigner, token, now), null)
  })

  it('cannot be changed to another organization, to the draft, or to a later expiry', () => {
    const [, kind, expiry, signature] = token.split('.')
    const live = previewToken(signer, { organizationId, draft: false }, now + HOUR)
    for (const forged of [
      [newUuid(), kind, expiry, signature],
      [organizationId, 'live', expiry, signature],
      [organizationId, kind, (2_000_000_000).toString(36), signature],
      [organizationId, kind, expiry, live.split('.')[3]],
    ])
      assert.equal(readPreviewToken(signer, forged.join('.'), now), null)
  })
})
