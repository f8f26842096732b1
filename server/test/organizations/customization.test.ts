import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { HOUR } from '../../src/core/duration.ts'
import { organizationHandle } from '../../src/core/token.ts'
import { brandOf } from '../../src/features/organizations/link-customization.ts'
import { linkCustomizationStore } from '../../src/features/organizations/link-customization-store.ts'
import { findCustomization, readPreviewToken } from '../../src/features/organizations/link-preview.ts'
import { consentAtSandbox, createBrowserUser } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import {
  type Answer,
  SANDBOX_CONNECTORS,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/test-service.ts'

const ADDRESS = '/api/v1/link-customization'

const square = (side = 64, background = '#c8285a') =>
  sharp({ create: { width: side, height: side, channels: 3, background } })

/** A few bytes that declare a PNG of 60000 × 60000 px. */
const bomb = (): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  const header = Buffer.from('0000ea600000ea600802000000', 'hex')
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(10_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const refuses = (answer: Answer, status: number, code: string, param?: string): void => {
  assert.deepEqual(
    [answer.status, answer.body?.error?.code, answer.body?.error?.param],
    [status, code, param],
    answer.text,
  )
}

for (const engine of flowEngines) {
  describe(`Link customization on ${engine}`, () => {
    let t: TestService
    let other: TestOrganization
    before(async () => {
      t = await startTestService(engine, { CONNECTORS: `${SANDBOX_CONNECTORS} stripe` })
      other = await t.createOrganization('Other')
      await t.allowOrigin('https://app.example.com')
      await t.allowOrigin('myapp://')
      await t.allowOrigin('https://other.example.com', other.key)
    })
    after(() => t.stop())

    const read = async (key = t.organization.key) => (await t.call('GET', ADDRESS, { key })).body
    const patch = (body: unknown, key = t.organization.key) => t.call('PATCH', ADDRESS, { key, body })
    const upload = async (
      image: Uint8Array,
      { theme = 'light', type = 'image/png', key = t.organization.key } = {},
    ): Promise<Answer> => {
      const response = await fetch(`${t.baseUrl}${ADDRESS}/logo/${theme}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        body: new Uint8Array(image),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) }
    }
    const download = async (url: string) => {
      const response = await fetch(url)
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    }

    it('has the defaults for an organization without settings', async () => {
      const fresh = await t.createOrganization('Fresh')
      const { default_texts: defaultTexts, ...settings } = await read(fresh.key)
      assert.equal(defaultTexts.en['consent.title'], 'Connect {connector} to {organization}')
      assert.deepEqual(settings, {
        primary_color: '#1f2a44',
        primary_color_dark: null,
        radius: 20,
        co_branding: true,
        support_url: null,
        privacy_url: null,
        terms_url: null,
        redirect_uri: null,
        connector_order: [],
        texts: {},
        default_language: 'en',
        logo: { light: null, dark: null },
        contrast: {
          light: { primary: '#1f2a44', on_primary: '#ffffff', accent: '#1f2a44', ratio: 14.25 },
          dark: { primary: '#8fa8ff', on_primary: '#0b1026', accent: '#8fa8ff', ratio: 8.25 },
        },
        updated_at: null,
      })
    })

    it('changes only the given fields, and empty values reset them', async () => {
      const fields = {
        primary_color: '#E8590C',
        primary_color_dark: '#ffd400',
        radius: 0,
        co_branding: false,
        support_url: 'mailto:help@example.com',
        privacy_url: 'https://example.com/privacy',
        terms_url: 'https://example.com/terms',
        redirect_uri: 'https://app.example.com/linked?from=link',
        connector_order: ['sandbox-vault', 'sandbox-notes'],
        texts: {
          en: { 'picker.lead': '{organization} works with what you choose.' },
          ja: { 'picker.title': '接続' },
        },
        default_language: 'de',
      }
      const first = await patch(fields)
      assert.equal(first.status, 200, first.text)
      const { logo, contrast, updated_at, default_texts: _defaults, ...set } = first.body
      assert.deepEqual(set, { ...fields, primary_color: '#e8590c' })
      assert.match(updated_at, /^\d{4}-\d\d-\d\dT/)
      assert.equal(contrast.dark.primary, '#ffd400')
      assert.deepEqual(logo, { light: null, dark: null })
      assert.deepEqual(await read(), first.body)

      const second = await patch({ radius: 12, support_url: null })
      const expected = { ...first.body, radius: 12, support_url: null, updated_at: second.body.updated_at }
      assert.deepEqual(second.body, expected)
      assert.deepEqual((await patch({})).body, expected)

      const cleared = await patch({
        primary_color: '',
        primary_color_dark: '',
        support_url: '',
        privacy_url: '',
        terms_url: '',
        redirect_uri: '',
        connector_order: [],
        texts: {},
        default_language: '',
      })
      const fresh = await read((await t.createOrganization('Fresh again')).key)
      const { updated_at: at } = cleared.body
      assert.deepEqual(cleared.body, { ...fresh, radius: 12, co_branding: false, updated_at: at })
      const [row] = await t.query('select settings from link_customizations where organization_id = $1', [
        t.organization.id,
      ])
      assert.deepEqual(row.settings, { radius: 12, co_branding: false })
    })

    it('rejects invalid values with the name of the field, and keeps the previous ones', async () => {
      const earlier = await read()
      const table: [body: unknown, code: string, param: string][] = [
        [{ primary_color: 'red' }, 'invalid_request', 'primary_color'],
        [{ primary_color: '#fff' }, 'invalid_request', 'primary_color'],
        [{ primary_color_dark: '#12345g' }, 'invalid_request', 'primary_color_dark'],
        [{ radius: 25 }, 'invalid_request', 'radius'],
        [{ radius: -1 }, 'invalid_request', 'radius'],
        [{ co_branding: 'no' }, 'invalid_request', 'co_branding'],
        [{ support_url: 'http://example.com' }, 'invalid_request', 'support_url'],
        [{ privacy_url: 'mailto:a@example.com' }, 'invalid_request', 'privacy_url'],
        [{ terms_url: 'javascript:alert(1)' }, 'invalid_request', 'terms_url'],
        [{ connector_order: ['a', 'a'] }, 'invalid_request', 'connector_order'],
        [{ connector_order: ['Not a slug'] }, 'invalid_request', 'connector_order.0'],
        [{ default_language: 'xx' }, 'invalid_request', 'default_language'],
        [{ texts: { xx: {} } }, 'unknown_field', 'texts.xx'],
        [{ texts: { en: { 'consent.trust': 'x' } } }, 'unknown_field', 'texts.en.consent.trust'],
        [{ texts: { en: { 'picker.title': '{organization}' } } }, 'invalid_request', 'texts.en.picker.title'],
        [{ texts: { en: { 'picker.lead': 'a { b' } } }, 'invalid_request', 'texts.en.picker.lead'],
        [{ texts: { de: { 'key.title': 'x\u202e' } } }, 'invalid_request', 'texts.de.key.title'],
        [{ texts: { en: { 'picker.title': 'x'.repeat(161) } } }, 'invalid_request', 'texts.en.picker.title'],
        [{ logo: {} }, 'unknown_field', 'logo'],
        [{ redirect_uri: 'linked' }, 'invalid_redirect_uri', 'redirect_uri'],
        [
          { redirect_uri: 'https://app.example.com/?status=1' },
          'reserved_redirect_parameter',
          'redirect_uri',
        ],
        [{ redirect_uri: 'myapp://x?conne%63tor=1' }, 'reserved_redirect_parameter', 'redirect_uri'],
        [{ radius: 3, redirect_uri: 'https://evil.example.com/' }, 'unauthorized_origin', 'redirect_uri'],
        [{ redirect_uri: 'https://other.example.com/' }, 'unauthorized_origin', 'redirect_uri'],
        [{ redirect_uri: 'http://app.example.com/' }, 'unauthorized_origin', 'redirect_uri'],
        [{ redirect_uri: 'other://x' }, 'unauthorized_origin', 'redirect_uri'],
      ]
      for (const [body, code, param] of table) {
        refuses(await patch(body), 400, code, param)
        refuses(await t.call('POST', `${ADDRESS}/preview`, { body }), 400, code, param)
      }
      assert.deepEqual(await read(), earlier)
    })

    it('accepts a redirect_uri with a listed origin, also of an app', async () => {
      for (const redirect_uri of ['https://app.example.com/linked#here', 'myapp://linked?from=link'])
        assert.equal((await patch({ redirect_uri })).body.redirect_uri, redirect_uri)
      const message = (await patch({ redirect_uri: 'https://evil.example.com/' })).body.error.message
      assert.match(message, /unauthorized origin.*redirect_uri/i)
      assert.equal((await read()).redirect_uri, 'myapp://linked?from=link')
    })

    it('requires the production key', async () => {
      const key = t.organization.testKey
      for (const answer of [
        await t.call('GET', ADDRESS, { key }),
        await patch({ radius: 1 }, key),
        await t.call('POST', `${ADDRESS}/preview`, { key, body: {} }),
        await t.call('DELETE', `${ADDRESS}/logo/light`, { key }),
        await upload(await square().png().toBuffer(), { key }),
      ])
        refuses(answer, 403, 'production_key_required')
      refuses(await t.call('GET', ADDRESS, { key: null }), 401, 'missing_api_key', 'Authorization')
    })

    it('is separate for each organization', async () => {
      const earlier = await read(other.key)
      await patch({ primary_color: '#0a7d33', texts: { en: { 'picker.title': 'Mine' } } })
      await upload(await square().png().toBuffer())
      await t.call('POST', `${ADDRESS}/preview`, { body: { radius: 2 } })
      assert.deepEqual(await read(other.key), earlier)
      const { light } = (await read()).logo
      const moved = light.url.replace(t.organization.id, other.id)
      assert.equal((await download(moved)).response.status, 404)
    })

    it('concurrent patches keep both changes', async () => {
      const fresh = await t.createOrganization('Busy')
      const texts = { en: { 'picker.title': 'Busy' } }
      const answers = await Promise.all([
        patch({ radius: 7 }, fresh.key),
        patch({ primary_color: '#123456' }, fresh.key),
        patch({ support_url: 'https://example.com/help' }, fresh.key),
        patch({ texts }, fresh.key),
        patch({ co_branding: false, privacy_url: '' }, fresh.key),
        upload(await square().png().toBuffer(), { key: fresh.key }),
      ])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200, 200],
      )
      const now = await read(fresh.key)
      assert.deepEqual(
        [now.radius, now.primary_color, now.support_url, now.texts, now.co_branding, now.logo.light.width],
        [7, '#123456', 'https://example.com/help', texts, false, 64],
      )
    })

    it('accepts a logo as PNG, JPEG or WebP, and serves it at an immutable URL', async () => {
      const jpeg = await square(300)
        .jpeg()
        .withExif({
          IFD0: { Copyright: 'canary' },
          IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' },
        })
        .toBuffer()
      assert.ok(jpeg.includes('canary'))
      const uploads: [image: Buffer, type: string][] = [
        [await square(300).png().toBuffer(), 'image/png'],
        [await square(300).png({ palette: true }).toBuffer(), 'image/png'],
        [await square(300).webp().toBuffer(), 'image/webp'],
        [jpeg, 'image/jpeg'],
      ]
      for (const theme of ['light', 'dark'])
        for (const [image, type] of uploads) {
          const answer = await upload(image, { theme, type })
          assert.equal(answer.status, 200, answer.text)
          const { url, width, height } = answer.body
          assert.deepEqual([width, height], [160, 160])
          const start = `${t.baseUrl}/brand/${organizationHandle(t.organization.id)}/`
          assert.ok(url.startsWith(start), url)
          assert.match(url.slice(start.length), /^[0-9a-f]{32}\.png$/)
          assert.deepEqual((await read()).logo[theme], answer.body)

          const { response, bytes } = await download(url)
          assert.equal(response.status, 200)
          const metadata = await sharp(bytes).metadata()
          assert.deepEqual([metadata.format, metadata.width, metadata.exif], ['png', 160, undefined])
          assert.ok(!bytes.includes('canary'))
        }
    })

    it('serves a logo with headers that allow only an image', async () => {
      const { body } = await upload(await square(40, '#00aa44').png().toBuffer())
      const { response } = await download(body.url)
      const headers = {
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
      }
      for (const [name, value] of Object.entries(headers))
        assert.equal(response.headers.get(name), value, name)
      assert.equal((await fetch(body.url, { method: 'HEAD' })).status, 200)
      for (const path of [
        `/brand/${organizationHandle(t.organization.id)}/${'0'.repeat(32)}.png`,
        `/brand/${organizationHandle(t.organization.id)}/x.png`,
        `/brand/${organizationHandle(t.organization.id)}/${'0'.repeat(32)}.svg`,
        `/brand/${t.organization.id}/${'0'.repeat(32)}.png`,
        `/brand/none/${'0'.repeat(32)}.png`,
        `/brand/%00/${'0'.repeat(32)}.png`,
      ]) {
        const answer = await t.call('GET', path, { key: null })
        refuses(answer, 404, 'not_found')
        assert.equal(answer.headers.get('cache-control'), 'no-store')
      }
    })

    it('GET /connectors: returns the logo of a connector, which anyone may load, and null without one', async () => {
      const { data } = (await t.call('GET', '/api/v1/connectors')).body
      const logoOf = (slug: string) => data.find((one: { slug: string }) => one.slug === slug).logo_url
      assert.equal(logoOf('sandbox-notes'), null)
      const url = logoOf('stripe')
      assert.ok(url.startsWith(`${t.baseUrl}/connector-logos/stripe.`), url)
      const { response, bytes } = await download(url)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'image/svg+xml')
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox")
      assert.match(String(bytes), /^<svg /)
      refuses(await t.call('GET', '/connector-logos/stripe.svg', { key: null }), 404, 'not_found')
    })

    it('replaces and removes the logo of each theme separately', async () => {
      const first = (await upload(await square(40, '#111111').png().toBuffer(), { theme: 'dark' })).body
      const second = (await upload(await square(40, '#222222').png().toBuffer(), { theme: 'dark' })).body
      assert.notEqual(first.url, second.url)
      assert.equal((await download(first.url)).response.status, 404)
      const light = (await read()).logo.light
      assert.equal((await t.call('DELETE', `${ADDRESS}/logo/dark`)).status, 204)
      assert.deepEqual((await read()).logo, { light, dark: null })
      assert.equal((await download(second.url)).response.status, 404)
      refuses(await t.call('DELETE', `${ADDRESS}/logo/dark`), 404, 'logo_not_found')
      refuses(await t.call('DELETE', `${ADDRESS}/logo/sepia`), 400, 'invalid_request', 'theme')
      refuses(
        await upload(await square().png().toBuffer(), { theme: 'sepia' }),
        400,
        'invalid_request',
        'theme',
      )
    })

    it('the consent page, the key form and the connected page show the uploaded logo', async () => {
      const { key } = await t.createOrganization('Branded')
      const { url } = (await upload(await square(80, '#334455').png().toBuffer(), { key })).body
      const user = await t.createUser({}, key)
      const browser = createBrowserUser()
      const open = async (Connector: string) =>
        browser.open((await t.mint(user.id, { Connector }, key)).magic_link_url)
      const consent = await open('sandbox-notes')
      const connected = await consentAtSandbox(browser, await browser.submit(consent, /\/start$/))
      assert.equal(connected.title, 'Notes is connected')
      for (const page of [consent, connected, await open('sandbox-vault')]) {
        const [, tile] = /<span class="tile brand">(.*?)<\/span>/.exec(page.html) ?? []
        assert.match(tile ?? page.title, new RegExp(`^<img class="logo both" src="${new URL(url).pathname}"`))
      }
      assert.equal((await download(url)).response.status, 200)
    })

    it('rejects invalid logos with the reason', async () => {
      const earlier = (await read()).logo
      const png = await square(200).png().toBuffer()
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>')
      refuses(await upload(await square(1).png().toBuffer()), 400, 'invalid_logo')
      refuses(await upload(bomb()), 400, 'invalid_logo')
      refuses(await upload(png.subarray(0, png.length - 40)), 400, 'invalid_logo')
      refuses(await upload(Buffer.alloc(0)), 400, 'invalid_logo')
      refuses(await upload(svg, { type: 'image/svg+xml' }), 415, 'unsupported_logo')
      refuses(await upload(svg), 415, 'unsupported_logo')
      refuses(await upload(await square().gif().toBuffer()), 415, 'unsupported_logo')
      refuses(await upload(png, { type: 'image/gif' }), 415, 'unsupported_logo')
      refuses(await upload(Buffer.from('{}'), { type: 'application/json' }), 415, 'unsupported_logo')
      refuses(await upload(Buffer.alloc(512 * 1024 + 1)), 413, 'body_too_large')
      assert.match((await upload(svg)).body.error.message, /PNG at twice the display size/)
      assert.match((await upload(await square(1).png().toBuffer())).body.error.message, /1 × 1 px/)
      assert.deepEqual((await read()).logo, earlier)
    })

    it('removes data appended to an image', async () => {
      const image = await square(50, '#5500aa').png().toBuffer()
      const hidden = Buffer.from('<html><script>alert("canary")</script></html>')
      const { body } = await upload(Buffer.concat([image, hidden]))
      const { bytes } = await download(body.url)
      assert.ok(!bytes.includes('canary') && !bytes.includes('<script'))
      assert.equal(bytes.subarray(-8, -4).toString(), 'IEND')
    })

    it('accepts images on this route only, and keeps the usual JSON limit elsewhere', async () => {
      const headers = { 'content-type': 'image/png' }
      refuses(await t.call('PATCH', ADDRESS, { raw: 'x', headers }), 415, 'unsupported_media_type')
      refuses(
        await t.call('POST', '/api/v1/registered-users', { raw: 'x', headers }),
        415,
        'unsupported_media_type',
      )
      const huge = JSON.stringify({ support_url: 'x'.repeat(300 * 1024) })
      refuses(await t.call('PATCH', ADDRESS, { raw: huge }), 413, 'body_too_large')
    })

    it('a draft is previewed without changing anything', async () => {
      const { db, signer } = t.service.features
      await patch({ primary_color: '#0a7d33', radius: 9, redirect_uri: 'https://app.example.com/x' })
      const live = await read()
      const opened = async (body?: unknown) => {
        const earliest = Date.now() + HOUR
        const answer = await t.call('POST', `${ADDRESS}/preview`, { ...(body !== undefined && { body }) })
        assert.equal(answer.status, 201, answer.text)
        assert.deepEqual(Object.keys(answer.body).toSorted(), ['contrast', 'expires_at', 'preview_url'])
        const expiresAt = Date.parse(answer.body.expires_at)
        assert.ok(earliest <= expiresAt + 1000 && expiresAt <= Date.now() + HOUR + 1000)
        const start = `${t.baseUrl}/link/preview/`
        assert.ok(answer.body.preview_url.startsWith(start), answer.body.preview_url)
        const token = answer.body.preview_url.slice(start.length)
        return { token, seen: readPreviewToken(signer, token, Date.now()) }
      }
      const draft = await opened({ primary_color: '#aa0055', redirect_uri: '' })
      assert.deepEqual(draft.seen, { organizationId: t.organization.id, draft: true })
      assert.deepEqual(await read(), live)
      assert.deepEqual((await opened()).seen, { organizationId: t.organization.id, draft: false })
      assert.deepEqual((await opened({})).seen, { organizationId: t.organization.id, draft: false })

      const shown = await findCustomization(db, t.organization.id, { draft: true })
      assert.equal(shown?.organizationName, 'Orbit')
      assert.deepEqual(
        [shown?.brand.colors.light.primary, shown?.brand.radius, shown?.brand.redirectUri],
        ['#aa0055', 9, null],
      )
      const current = await findCustomization(db, t.organization.id, { draft: false })
      assert.deepEqual(
        [current?.brand.colors.light.primary, current?.brand.redirectUri],
        ['#0a7d33', 'https://app.example.com/x'],
      )
      const { token } = draft
      assert.equal(readPreviewToken(signer, token, Date.now() + HOUR + 1000), null)
      assert.equal(readPreviewToken(signer, token.replace(t.organization.id, other.id), Date.now()), null)
      assert.equal(
        readPreviewToken(signer, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, Date.now()),
        null,
      )
    })

    it('an organization that only previewed a draft has the defaults', async () => {
      const fresh = await t.createOrganization('Drafting')
      const earlier = await read(fresh.key)
      await t.call('POST', `${ADDRESS}/preview`, { key: fresh.key, body: { radius: 3 } })
      assert.deepEqual(await read(fresh.key), earlier)
      const shown = await findCustomization(t.service.features.db, fresh.id, { draft: true })
      assert.equal(shown?.brand.radius, 3)
    })

    it('is one row of link_brands for the pages', async () => {
      const fresh = await t.createOrganization('Read along')
      const rows = () => t.query('select * from link_brands where organization_id = $1', [fresh.id])
      assert.deepEqual(await rows(), [])
      const { body } = await upload(await square().png().toBuffer(), { key: fresh.key, theme: 'dark' })
      await patch({ radius: 4, default_language: 'fr' }, fresh.key)
      const [row] = await rows()
      assert.deepEqual(Object.keys(row).toSorted(), [
        'dark_logo',
        'light_logo',
        'organization_id',
        'settings',
      ])
      const brand = brandOf(await linkCustomizationStore.findBrand(t.service.features.db, fresh.id, false))
      assert.deepEqual([brand.radius, brand.defaultLanguage, brand.logo.light], [4, 'fr', null])
      assert.equal(t.baseUrl + brand.logo.dark, body.url)
    })
  })
}
