import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal } from '../../core/refusal.ts'
import { checkPatch } from './customization-patch.ts'

type Patch = Parameters<typeof checkPatch>[0]

const refused = (patch: Patch): [code: string, param: string | undefined] | null => {
  try {
    checkPatch(patch)
    return null
  } catch (error) {
    assert.ok(isRefusal(error), String(error))
    return [error.code, error.param]
  }
}

describe('a patch of the Link customization', () => {
  it('sets fields with a value and clears empty ones; 0 and false are values', () => {
    assert.deepEqual(
      checkPatch({
        primary_color: '#ABCDEF',
        primary_color_dark: '',
        radius: 0,
        co_branding: false,
        support_url: '',
        connector_order: [],
        texts: {},
        default_language: '',
      }),
      {
        set: { primary_color: '#abcdef', radius: 0, co_branding: false },
        cleared: ['primary_color_dark', 'support_url', 'connector_order', 'texts', 'default_language'],
        redirectOrigin: null,
      },
    )
    assert.deepEqual(checkPatch({}), { set: {}, cleared: [], redirectOrigin: null })
  })

  it('accepts only URLs that a user may be sent to', () => {
    const good = [
      'https://example.com',
      'https://example.com/a?b#c',
      'http://localhost:3000/x',
      'http://[::1]/',
    ]
    const mail = ['mailto:help@example.com', 'mailto:help@example.com?subject=Linking%20help']
    for (const name of ['support_url', 'privacy_url', 'terms_url'] as const)
      for (const url of good) assert.equal(refused({ [name]: url }), null, url)
    for (const url of mail) {
      assert.equal(refused({ support_url: url }), null, url)
      assert.deepEqual(refused({ privacy_url: url }), ['invalid_request', 'privacy_url'])
      assert.deepEqual(refused({ terms_url: url }), ['invalid_request', 'terms_url'])
    }
    const bad = [
      'x',
      '/help',
      '//example.com',
      'http://example.com',
      'http://localhost.evil.com',
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,x',
      'myapp://help',
      'tel:123',
      'https://user@example.com',
      'https://example.com\\@evil.com',
      ' https://example.com',
      'https://example.com\n',
      'mailto:',
      'mailto:help',
      'mailto:a@example.com,b@example.com',
      'mailto:a@example.com?cc=b@example.com',
      'mailto:a@example.com?subject=x&bcc=b@example.com',
      'mailto:a@example.com\u0000',
      'mailto:a@\u202eexample.com ',
    ]
    for (const url of bad)
      assert.deepEqual(refused({ support_url: url }), ['invalid_request', 'support_url'], url)
  })

  it('accepts a redirect_uri with its origin, also with a custom scheme', () => {
    const table: [address: string, origin: string][] = [
      ['https://app.example.com/done?x=1#y', 'https://app.example.com'],
      ['https://APP.example.com:443/', 'https://app.example.com'],
      ['http://localhost:3000/done', 'http://localhost:3000'],
      ['myapp://linked', 'myapp://'],
      ['com.example.app:/linked?from=link', 'com.example.app://'],
    ]
    for (const [redirect_uri, origin] of table)
      assert.equal(checkPatch({ redirect_uri }).redirectOrigin, origin, redirect_uri)
  })

  it('rejects a redirect_uri that a browser must not be sent to', () => {
    for (const address of [
      'x',
      '/done',
      'javascript:alert(1)',
      'data:,x',
      'https://',
      'https://u@app.example.com/',
    ])
      assert.deepEqual(refused({ redirect_uri: address }), ['invalid_redirect_uri', 'redirect_uri'], address)
    assert.deepEqual(refused({ redirect_uri: 'http://app.example.com/' }), [
      'unauthorized_origin',
      'redirect_uri',
    ])
  })

  it('rejects reserved parameters in redirect_uri in any spelling', () => {
    for (const name of [
      'status',
      'Connector',
      'connector',
      'CONNECTOR',
      'scopes',
      'SCOPES',
      'scopes[]',
      'scopes[0]',
      '%73tatus',
      '%2573tatus',
      'C%6Fnnector',
      '+status',
      '%u0073tatus',
    ])
      for (const start of ['https://app.example.com/?', 'https://app.example.com/?a=1&', 'myapp://x?a;'])
        assert.deepEqual(
          refused({ redirect_uri: `${start}${name}=1` }),
          ['reserved_redirect_parameter', 'redirect_uri'],
          start + name,
        )
    for (const name of ['state', 'code', 'statuses', 'connector_id', 'scope'])
      assert.equal(refused({ redirect_uri: `https://app.example.com/?${name}=status` }), null, name)
  })

  it('accepts texts with the placeholders of their sentence', () => {
    const texts = {
      en: { 'picker.title': 'Pick one', 'consent.title': '{connector} for {organization}' },
      de: { 'connected.lead': '  {organization} macht weiter.  ', 'picker.lead': '' },
      fr: { 'key.title': '   ' },
      ar: { 'expired.lead': 'انتهت صلاحية الرابط لدى {organization}' },
    }
    assert.deepEqual(checkPatch({ texts }).set.texts, {
      en: texts.en,
      de: { 'connected.lead': '{organization} macht weiter.' },
      ar: texts.ar,
    })
    assert.deepEqual(checkPatch({ texts: { fr: texts.fr } }).cleared, ['texts'])
  })

  it('rejects unknown placeholders, stray braces and invisible characters, naming the field', () => {
    for (const text of [
      '{organization}',
      '{connector}',
      '{}',
      '{ organization }',
      'a { b',
      'a } b',
      '}{',
      'line\nbreak',
      'bell\u0007',
      'turned \u202e round',
      'marked \u200f',
      'isolated \u2066x\u2069',
      'next\u2028line',
      'c1 \u0085',
    ])
      assert.deepEqual(
        refused({ texts: { 'pt-BR': { 'picker.title': text } } }),
        ['invalid_request', 'texts.pt-BR.picker.title'],
        JSON.stringify(text),
      )
    for (const text of ['{{organization}}', '{organization', '{user} {organization}', '{Organization}'])
      assert.deepEqual(refused({ texts: { en: { 'picker.lead': text } } }), [
        'invalid_request',
        'texts.en.picker.lead',
      ])
  })
})
