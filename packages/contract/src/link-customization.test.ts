import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { LinkCustomizationPatch, linkLanguages, linkTextKeys } from './link-customization.ts'

const accepts = (patch: unknown): boolean => Value.Check(LinkCustomizationPatch, patch)

test('LinkCustomizationPatch: accepts every field and the empty value that clears it', () => {
  assert.ok(accepts({}))
  assert.ok(
    accepts({
      primary_color: '#1F2a44',
      primary_color_dark: '#ffffff',
      radius: 24,
      co_branding: false,
      support_url: 'https://example.com',
      redirect_uri: 'myapp://x',
      connector_order: ['notes', 'sandbox-vault'],
      texts: { 'pt-BR': { 'picker.title': 'x'.repeat(160) } },
      default_language: 'ja',
    }),
  )
  assert.ok(
    accepts({ primary_color: '', support_url: '', connector_order: [], texts: {}, default_language: '' }),
  )
})

test('LinkCustomizationPatch: rejects unknown fields and invalid values', () => {
  const invalid: Record<string, unknown[]> = {
    primary_color: ['#fff', 'red', '1f2a44', '#1f2a4g', '#1f2a444', ' #1f2a44', 'rgb(0,0,0)', '#1f2a44\n', 1],
    radius: [-1, 25, 1.5, '20'],
    co_branding: ['true', 1],
    redirect_uri: ['x'.repeat(2049), 1],
    connector_order: [['a', 'a'], ['A'], [''], Array.from({ length: 201 }, (_, index) => `a${index}`), 'a'],
    texts: [
      { en: { 'consent.trust': 'x' } },
      { xx: {} },
      { EN: {} },
      { en: { 'picker.title': 'x'.repeat(161) } },
      { en: { 'picker.title': 1 } },
      { en: 'x' },
      [],
    ],
    default_language: ['EN', 'pt', 'xx', 1],
    logo: ['x'],
  }
  for (const [field, values] of Object.entries(invalid))
    for (const value of values) assert.ok(!accepts({ [field]: value }), `${field}: ${JSON.stringify(value)}`)
})

test('linkTextKeys: texts about trust cannot be replaced', () => {
  assert.deepEqual(
    Object.keys(linkTextKeys).filter(key => /trust|never|undo|receipt/.test(key)),
    [],
  )
  assert.deepEqual([...linkLanguages], ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'])
})
