import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Frame, Page } from 'playwright-core'
import { createVisitor, type Visitor } from './support/browser.ts'
import { embed, mintFor, prepareEmbedding } from './support/embedding.ts'
import { waitForHeading } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const SETTLE_MS = 500
const NONCE = 'nonce-of-the-test'

let world: World
before(async () => {
  world = await startWorld()
  await prepareEmbedding(world)
})
after(() => world?.stop())

const visit = (test: TestContext): Promise<Visitor> => createVisitor(world.browser, test)

/** Exchanges the token for the URL of the session page. */
const exchangeToken = async (linkToken: string): Promise<string> => {
  const { service, application } = world
  const response = await fetch(`${service.baseUrl}/link/sessions`, {
    method: 'POST',
    headers: { origin: application.foreignOrigin, authorization: `Bearer ${linkToken}` },
  })
  return ((await response.json()) as { url: string }).url
}

const newSession = async (): Promise<{ userId: string; url: string; linkToken: string }> => {
  const { userId, linkToken } = await mintFor(world)
  return { userId, linkToken, url: await exchangeToken(linkToken) }
}

const query = (opener: string): string => `?${new URLSearchParams({ opener, nonce: NONCE }).toString()}`

/** A page that embeds the address in a frame and records the messages posted to the page. */
const framing = (address: string, attributes = ''): string =>
  `<h1>Outer</h1><script>
window.messages = []
addEventListener('message', ({ origin, data }) => messages.push({ origin, data }))
</script><iframe ${attributes} src="${address.replaceAll('&', '&amp;')}"></iframe>`

/** Returns the innermost frame after it has loaded. */
const innermost = async (page: Page, depth = 1): Promise<Frame> => {
  await until('all frames exist', () => page.frames().length > depth)
  const frame = page.frames().at(-1) as Frame
  await frame.waitForLoadState().catch(() => undefined)
  return frame
}

const assertBlocked = async ({ page, browserErrors }: Visitor, depth = 1): Promise<void> => {
  await until('the browser blocks the frame', () => browserErrors.some(text => /frame/i.test(text)))
  const frame = await innermost(page, depth)
  assert.match(frame.url(), /^chrome-error:|^about:blank|^$/)
  assert.equal(await frame.getByRole('button').count(), 0)
  await delay(SETTLE_MS)
  assert.deepEqual(await page.evaluate('messages'), [], 'a page that may not embed Link received a message')
}

describe('embedding the session page', () => {
  it('an allowed origin can embed it and receives its messages', async test => {
    const { application, service } = world
    const { url } = await newSession()
    for (const origin of [application.foreignOrigin, application.origin]) {
      const { page, browserErrors } = await visit(test)
      application.serve('/listed', framing(url + query(origin)))
      await page.goto(`${origin}/listed`)
      const frame = await innermost(page)
      await frame.getByRole('heading', { name: 'Connect Notes to Orbit' }).waitFor()
      await page.waitForFunction('messages.length > 0')
      assert.deepEqual(await page.evaluate('messages'), [
        { origin: new URL(service.baseUrl).origin, data: { carabiner: NONCE, type: 'ready' } },
      ])
      assert.deepEqual(browserErrors, [])
    }
  })

  it('an allowed origin that names another allowed origin shows the page but receives no message', async test => {
    const { application } = world
    const { url } = await newSession()
    const { page } = await visit(test)
    application.serve('/other', framing(url + query(application.origin)))
    await page.goto(`${application.foreignOrigin}/other`)
    await (await innermost(page)).getByRole('heading', { name: 'Connect Notes to Orbit' }).waitFor()
    await delay(SETTLE_MS)
    assert.deepEqual(await page.evaluate('messages'), [])
  })

  const queries: [string, (own: string, listed: string) => string][] = [
    ['that names itself', own => query(own)],
    ['that names an allowed origin', (_, listed) => query(listed)],
    ['that names no origin', () => ''],
    ['that names *', () => query('*')],
    ['that names null', () => query('null')],
    ['that names http://*', () => query('http://*')],
    ['that names an allowed origin and itself', (own, listed) => query(`${listed} ${own}`)],
    [
      'that names an allowed origin twice',
      (_, listed) => `${query(listed)}&opener=${encodeURIComponent(listed)}`,
    ],
  ]
  for (const [title, build] of queries) {
    it(`an unlisted origin ${title} is blocked`, async test => {
      const { application } = world
      const { url } = await newSession()
      const visitor = await visit(test)
      const { unlistedOrigin, foreignOrigin } = application
      application.serve('/unlisted', framing(url + build(unlistedOrigin, foreignOrigin)))
      await visitor.page.goto(`${unlistedOrigin}/unlisted`)
      await assertBlocked(visitor)
    })
  }

  it('an allowed origin inside an unlisted origin is blocked', async test => {
    const { application } = world
    const { url } = await newSession()
    const visitor = await visit(test)
    application.serve('/inner', framing(url + query(application.foreignOrigin)))
    application.serve('/outer', framing(`${application.foreignOrigin}/inner`))
    await visitor.page.goto(`${application.unlistedOrigin}/outer`)
    await assertBlocked(visitor, 2)
    const inner = visitor.page.frames()[1] as Frame
    assert.deepEqual(await inner.evaluate('messages'), [])
  })

  it('a sandboxed page, which has an opaque origin, is blocked', async test => {
    const { application } = world
    const { url } = await newSession()
    const visitor = await visit(test)
    application.serve('/inner', framing(url + query(application.foreignOrigin)))
    application.serve(
      '/sandboxing',
      framing(`${application.foreignOrigin}/inner`, 'sandbox="allow-scripts allow-forms"'),
    )
    await visitor.page.goto(`${application.foreignOrigin}/sandboxing`)
    await assertBlocked(visitor, 2)
  })

  it('in a sandboxed frame of an allowed origin, the form starts no attempt', async test => {
    const { application, attempts } = world
    const { url, userId } = await newSession()
    const { page } = await visit(test)
    application.serve(
      '/sandboxed',
      framing(url + query(application.foreignOrigin), 'sandbox="allow-scripts allow-forms allow-popups"'),
    )
    await page.goto(`${application.foreignOrigin}/sandboxed`)
    const frame = await innermost(page)
    const button = frame.getByRole('button', { name: 'Continue to Notes' })
    if ((await button.count()) > 0) {
      await button.click()
      await delay(SETTLE_MS)
      const addresses = page
        .context()
        .pages()
        .map(other => other.url())
      assert.ok(!addresses.some(address => address.includes('/oauth/')), addresses.join())
    }
    assert.deepEqual(await attempts(userId), [])
  })

  it('no origin can embed the hosted page, a magic link or the OAuth step', async test => {
    const { application, service } = world
    const { url, userId } = await newSession()
    const { magic_link_url } = await service.mint(userId, { connector: 'sandbox-notes' })
    const handle = url.split('/').at(-1)
    for (const address of [
      `${service.baseUrl}/link/`,
      magic_link_url,
      `${service.baseUrl}/connect/${handle}${query(application.foreignOrigin)}`,
      `${service.baseUrl}/connect/${handle}/done`,
    ]) {
      const visitor = await visit(test)
      application.serve('/forbidden', framing(address))
      await visitor.page.goto(`${application.foreignOrigin}/forbidden`)
      await assertBlocked(visitor)
    }
  })

  it('an origin that is no longer allowed is blocked', async test => {
    const { application, service } = world
    const { url } = await newSession()
    const response = await service.call('DELETE', '/api/v1/callback-origins', {
      body: { origin: application.foreignOrigin },
    })
    assert.equal(response.status, 204, response.text)
    test.after(() => service.allowOrigin(application.foreignOrigin))
    const visitor = await visit(test)
    application.serve('/late', framing(url + query(application.foreignOrigin)))
    await visitor.page.goto(`${application.foreignOrigin}/late`)
    await assertBlocked(visitor)
  })
})

describe('messages to the component', () => {
  const TYPES = ['ready', 'close', 'completed', 'success', 'exit']

  it('messages from the page itself, another frame or another window are ignored', async test => {
    const { application, service } = world
    const { page, context } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    const nonce = new URL(
      (await page.locator('dialog iframe').getAttribute('src')) as string,
    ).searchParams.get('nonce')
    assert.match(nonce ?? '', /^\d{20,}$/, 'the nonce cannot be guessed')

    const forge = (target: string) =>
      `for (const type of ${JSON.stringify(TYPES)}) for (const carabiner of [${JSON.stringify(nonce)}, 'wrong', undefined])
        for (const origin of ['*', ${JSON.stringify(application.foreignOrigin)}])
          ${target}.postMessage({ carabiner, type, status: 'completed', Connector: 'sandbox-notes', scopes: [] }, origin)`
    application.serve(
      '/forger',
      `<h1>Forger</h1><script>${forge('(window.opener ?? window.parent)')}</script>`,
    )

    // The page itself, also with a synthetic event that claims Link's origin.
    await page.evaluate(forge('window'))
    await page.evaluate(
      `dispatchEvent(new MessageEvent('message', { origin: ${JSON.stringify(new URL(service.baseUrl).origin)}, source: window, data: { carabiner: ${JSON.stringify(nonce)}, type: 'close' } }))`,
    )
    // Other frames, of allowed and unlisted origins.
    for (const origin of [application.foreignOrigin, application.origin, application.unlistedOrigin]) {
      await page.evaluate(
        `document.querySelector('dialog').append(Object.assign(document.createElement('iframe'), { src: '${origin}/forger' }))`,
      )
    }
    await until(
      'the forging frames exist',
      () => page.frames().filter(f => f.url().endsWith('/forger')).length === 3,
    )
    // Another window that the page has opened.
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void open('${application.unlistedOrigin}/forger')`),
    ])
    await waitForHeading(other, 'Forger')
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    assert.ok(!(await embedding.eventNames()).includes('close'))
    assert.equal(await page.locator('dialog').count(), 1)
    assert.equal((await embedding.eventNames()).filter(name => name === 'ready').length, 1)
  })

  it('messages of another site that was loaded into the frame are ignored', async test => {
    const { application } = world
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    application.serve(
      '/taken',
      `<h1>Taken</h1><script>
const carabiner = new URLSearchParams(location.search).get('nonce')
for (const type of ['close', 'completed']) parent.postMessage({ carabiner, type }, '*')</script>`,
    )
    await page.evaluate(
      `{ const frame = document.querySelector('dialog iframe'); frame.src = '${application.unlistedOrigin}/taken' + new URL(frame.src).search }`,
    )
    await embedding.frame.getByRole('heading', { name: 'Taken' }).waitFor()
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    assert.equal(await page.locator('dialog').count(), 1)
  })

  it('a message from Link’s own frame can close Link, but cannot report success', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    const inside = page.frames().at(-1) as Frame
    for (const type of ['completed', 'success']) {
      await inside.evaluate(
        `parent.postMessage({ carabiner: document.body.dataset.nonce, type: '${type}', status: '${type}', Connector: 'sandbox-notes', scopes: [] }, document.body.dataset.opener)`,
      )
    }
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    await inside.evaluate(
      `parent.postMessage({ carabiner: document.body.dataset.nonce, type: 'close' }, document.body.dataset.opener)`,
    )
    await until('Link has closed', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
  })

  it('a session page in a window posts no message to its opener', async test => {
    const { application } = world
    const { url } = await newSession()
    const { page, context } = await visit(test)
    application.serve(
      '/opener',
      `<h1>Opener</h1><script>window.messages = []; addEventListener('message', ({ data }) => messages.push(data))</script>
<button type="button" onclick="window.open('${url}${query(application.unlistedOrigin).replaceAll('&', '&amp;')}')">Plain</button>
<button type="button" onclick="window.open('${url}${query(application.foreignOrigin).replaceAll('&', '&amp;')}')">Spoofed</button>`,
    )
    await page.goto(`${application.unlistedOrigin}/opener`)
    for (const [name, title] of [
      ['Plain', 'This link can’t be used'],
      ['Spoofed', 'Connect Notes to Orbit'],
    ] as const) {
      const [popup] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name }).click(),
      ])
      await waitForHeading(popup, title)
    }
    await delay(SETTLE_MS)
    assert.deepEqual(await page.evaluate('messages'), [])
  })
})

describe('a form posted by another site', () => {
  /** Reads the form that the page itself would submit. */
  const fieldsOf = async (
    page: Page,
    url: string,
  ): Promise<{ action: string; fields: [string, string][] }> => {
    await page.goto(url)
    return page.evaluate(`(() => {
      const form = document.querySelector('form[data-do=leave]')
      return { action: form.action, fields: [...new FormData(form)] }
    })()`)
  }

  for (const site of ['unlistedOrigin', 'foreignOrigin'] as const) {
    it(`with a valid token, from ${site}: shows the consent page and starts no attempt`, async test => {
      const { application, attempts, eventTypes } = world
      const { url, userId } = await newSession()
      const { page, context } = await visit(test)
      const { action, fields } = await fieldsOf(page, url)
      assert.ok(fields.some(([name]) => name === 'page_token'))
      const visited: string[] = []
      context.on('request', request => void visited.push(request.url()))
      const inputs = fields.map(
        ([name, value]) => `<input name="${name}" value="${value.replaceAll('"', '&quot;')}">`,
      )
      application.serve(
        '/forged-form',
        `<h1>Forged</h1><form method="post" action="${action}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`,
      )
      await page.goto(`${application[site]}/forged-form`)
      await waitForHeading(page, 'Connect Notes to Orbit')
      assert.match(new URL(page.url()).pathname, /^\/connect\//)
      assert.ok(!visited.some(address => address.includes('/oauth/')), visited.join('\n'))
      assert.deepEqual(await attempts(userId), [])
      assert.ok(!(await eventTypes(userId)).includes('link.opened'))

      // The user can continue from there.
      await page.getByRole('button', { name: 'Continue to Notes' }).click()
      await waitForHeading(page, 'Sign in to Notes')
    })
  }

  it('with an opaque origin, from a sandboxed page: shows the consent page and starts no attempt', async test => {
    const { application, attempts } = world
    const { url, userId } = await newSession()
    const { page } = await visit(test)
    const { action, fields } = await fieldsOf(page, url)
    const inputs = fields.map(
      ([name, value]) => `<input name="${name}" value="${value.replaceAll('"', '&quot;')}">`,
    )
    application.serve(
      '/forged-inner',
      `<h1>Forged</h1><form method="post" target="_top" action="${action}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`,
    )
    application.serve(
      '/forged-outer',
      `<h1>Outer</h1><iframe sandbox="allow-scripts allow-forms allow-top-navigation" src="/forged-inner"></iframe>`,
    )
    await page.goto(`${application.unlistedOrigin}/forged-outer`)
    await waitForHeading(page, 'Connect Notes to Orbit')
    assert.deepEqual(await attempts(userId), [])
  })

  it('an API key or a cancellation changes nothing', async test => {
    const { application, service, linkedConnectors, eventTypes } = world
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault' })
    const url = await exchangeToken(linkToken)
    const { page } = await visit(test)
    await page.goto(url)
    const token = await page.locator('input[name=page_token]').first().inputValue()
    for (const path of ['/api-key', '/cancel']) {
      application.serve(
        '/forged-key',
        `<h1>Forged</h1><form method="post" action="${url}${path}"><input name="page_token" value="${token}"><input name="api_key" value="${service.sandbox.vaultKeys.ben}"></form><script>document.forms[0].submit()</script>`,
      )
      await page.goto(`${application.unlistedOrigin}/forged-key`)
      await waitForHeading(page, 'Connect with your Vault API key')
    }
    assert.deepEqual(await linkedConnectors(userId), [])
    assert.ok(!(await eventTypes(userId)).includes('link.exited'))
  })
})
