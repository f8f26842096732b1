import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Frame, Page } from 'playwright-core'
import { createVisitor, type Visitor } from './support/browser.ts'
import { embed, mintFor, prepareEmbedding } from './support/embedding.ts'
import { seesHeading } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const A_WHILE = 500
const NONCE = 'nonce-of-the-test'

let world: World
before(async () => {
  world = await startWorld()
  await prepareEmbedding(world)
})
after(() => world?.stop())

const visit = (test: TestContext): Promise<Visitor> => createVisitor(world.browser, test)

/** The address of a session's page, as an application's backend might learn it. */
const tradeToken = async (linkToken: string): Promise<string> => {
  const { service, application } = world
  const answer = await fetch(`${service.baseUrl}/link/sessions`, {
    method: 'POST',
    headers: { origin: application.foreignOrigin },
    body: new URLSearchParams({ link_token: linkToken }),
  })
  return ((await answer.json()) as { url: string }).url
}

const newSession = async (): Promise<{ userId: string; url: string; linkToken: string }> => {
  const { userId, linkToken } = await mintFor(world)
  return { userId, linkToken, url: await tradeToken(linkToken) }
}

const query = (opener: string): string => `?${new URLSearchParams({ opener, nonce: NONCE }).toString()}`

/** A page that frames an address, and writes down whatever is posted to it. */
const framing = (address: string, attributes = ''): string =>
  `<h1>Outer</h1><script>
window.heard = []
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))
</script><iframe ${attributes} src="${address.replaceAll('&', '&amp;')}"></iframe>`

/** Until the innermost frame has come to rest. */
const innermost = async (page: Page, depth = 1): Promise<Frame> => {
  await until('the frames are there', () => page.frames().length > depth)
  const frame = page.frames().at(-1) as Frame
  await frame.waitForLoadState().catch(() => undefined)
  return frame
}

const isBlocked = async ({ page, complaints }: Visitor, depth = 1): Promise<void> => {
  await until('the browser refuses the frame', () => complaints.some(text => /frame/i.test(text)))
  const frame = await innermost(page, depth)
  assert.match(frame.url(), /^chrome-error:|^about:blank|^$/)
  assert.equal(await frame.getByRole('button').count(), 0)
  await delay(A_WHILE)
  assert.deepEqual(await page.evaluate('heard'), [], 'something was posted to a page that may not frame it')
}

describe('who may frame the session’s page', () => {
  it('a listed origin, and only it is spoken to', async test => {
    const { application, service } = world
    const { url } = await newSession()
    for (const origin of [application.foreignOrigin, application.origin]) {
      const { page, complaints } = await visit(test)
      application.serve('/listed', framing(url + query(origin)))
      await page.goto(`${origin}/listed`)
      const frame = await innermost(page)
      await frame.getByRole('heading', { name: 'Connect Notes to Orbit' }).waitFor()
      await page.waitForFunction('heard.length > 0')
      assert.deepEqual(await page.evaluate('heard'), [
        { origin: new URL(service.baseUrl).origin, data: { carabiner: NONCE, type: 'ready' } },
      ])
      assert.deepEqual(complaints, [])
    }
  })

  it('a listed origin that names another listed one: shown, and nothing is said to the wrong one', async test => {
    const { application } = world
    const { url } = await newSession()
    const { page } = await visit(test)
    application.serve('/other', framing(url + query(application.origin)))
    await page.goto(`${application.foreignOrigin}/other`)
    await (await innermost(page)).getByRole('heading', { name: 'Connect Notes to Orbit' }).waitFor()
    await delay(A_WHILE)
    assert.deepEqual(await page.evaluate('heard'), [])
  })

  const strangers: [string, (own: string, listed: string) => string][] = [
    ['that says who it is', own => query(own)],
    ['that claims to be a listed one', (_, listed) => query(listed)],
    ['that says nothing', () => ''],
    ['that says *', () => query('*')],
    ['that says null', () => query('null')],
    ['that says http://*', () => query('http://*')],
    ['that says a listed one and more', (own, listed) => query(`${listed} ${own}`)],
    ['that says a listed one twice', (_, listed) => `${query(listed)}&opener=${encodeURIComponent(listed)}`],
  ]
  for (const [title, build] of strangers) {
    it(`never an unlisted origin ${title}`, async test => {
      const { application } = world
      const { url } = await newSession()
      const visitor = await visit(test)
      const { unlistedOrigin, foreignOrigin } = application
      application.serve('/stranger', framing(url + build(unlistedOrigin, foreignOrigin)))
      await visitor.page.goto(`${unlistedOrigin}/stranger`)
      await isBlocked(visitor)
    })
  }

  it('never a listed origin inside an unlisted one', async test => {
    const { application } = world
    const { url } = await newSession()
    const visitor = await visit(test)
    application.serve('/inner', framing(url + query(application.foreignOrigin)))
    application.serve('/outer', framing(`${application.foreignOrigin}/inner`))
    await visitor.page.goto(`${application.unlistedOrigin}/outer`)
    await isBlocked(visitor, 2)
    const inner = visitor.page.frames()[1] as Frame
    assert.deepEqual(await inner.evaluate('heard'), [])
  })

  it('never a sandboxed page, whose origin is nobody’s', async test => {
    const { application } = world
    const { url } = await newSession()
    const visitor = await visit(test)
    application.serve('/inner', framing(url + query(application.foreignOrigin)))
    application.serve(
      '/sandboxing',
      framing(`${application.foreignOrigin}/inner`, 'sandbox="allow-scripts allow-forms"'),
    )
    await visitor.page.goto(`${application.foreignOrigin}/sandboxing`)
    await isBlocked(visitor, 2)
  })

  it('a sandboxed frame of a listed page: whatever it shows, its form starts nothing', async test => {
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
      await delay(A_WHILE)
      const addresses = page
        .context()
        .pages()
        .map(other => other.url())
      assert.ok(!addresses.some(address => address.includes('/oauth/')), addresses.join())
    }
    assert.deepEqual(await attempts(userId), [])
  })

  it('nobody frames the hosted page, a magic link or the third party’s step, listed or not', async test => {
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
      await isBlocked(visitor)
    }
  })

  it('an origin that was taken off the list frames nothing any more', async test => {
    const { application, service } = world
    const { url } = await newSession()
    const answer = await service.call('DELETE', '/api/v1/callback-origins', {
      body: { origin: application.foreignOrigin },
    })
    assert.equal(answer.status, 204, answer.text)
    test.after(() => service.allowOrigin(application.foreignOrigin))
    const visitor = await visit(test)
    application.serve('/late', framing(url + query(application.foreignOrigin)))
    await visitor.page.goto(`${application.foreignOrigin}/late`)
    await isBlocked(visitor)
  })
})

describe('what the component believes', () => {
  const TYPES = ['ready', 'close', 'completed', 'success', 'exit']

  it('no message from the page itself, another frame or another window, whatever it says', async test => {
    const { application, service } = world
    const { page, context } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    const nonce = new URL(
      (await page.locator('dialog iframe').getAttribute('src')) as string,
    ).searchParams.get('nonce')
    assert.match(nonce ?? '', /^\d{20,}$/, 'nobody guesses it')

    const forge = (target: string) =>
      `for (const type of ${JSON.stringify(TYPES)}) for (const carabiner of [${JSON.stringify(nonce)}, 'wrong', undefined])
        for (const origin of ['*', ${JSON.stringify(application.foreignOrigin)}])
          ${target}.postMessage({ carabiner, type, status: 'completed', Connector: 'sandbox-notes', scopes: [] }, origin)`
    application.serve(
      '/forger',
      `<h1>Forger</h1><script>${forge('(window.opener ?? window.parent)')}</script>`,
    )

    // The page itself, even with an event of its own making that claims to come from Link's origin.
    await page.evaluate(forge('window'))
    await page.evaluate(
      `dispatchEvent(new MessageEvent('message', { origin: ${JSON.stringify(new URL(service.baseUrl).origin)}, source: window, data: { carabiner: ${JSON.stringify(nonce)}, type: 'close' } }))`,
    )
    // Another frame, of a listed and of an unlisted origin.
    for (const origin of [application.foreignOrigin, application.origin, application.unlistedOrigin]) {
      await page.evaluate(
        `document.querySelector('dialog').append(Object.assign(document.createElement('iframe'), { src: '${origin}/forger' }))`,
      )
    }
    await until(
      'the forgers are there',
      () => page.frames().filter(f => f.url().endsWith('/forger')).length === 3,
    )
    // Another window that the page has opened.
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void open('${application.unlistedOrigin}/forger')`),
    ])
    await seesHeading(other, 'Forger')
    // The right window and nonce, but another page in it.
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    assert.ok(!(await embedding.eventNames()).includes('close'))
    assert.equal(await page.locator('dialog').count(), 1)
    assert.equal((await embedding.eventNames()).filter(name => name === 'ready').length, 1)
  })

  it('no message of another site that has taken the frame over', async test => {
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
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    assert.equal(await page.locator('dialog').count(), 1)
  })

  it('even Link’s own frame can say no more than "close": no message makes a success', async test => {
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
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    await inside.evaluate(
      `parent.postMessage({ carabiner: document.body.dataset.nonce, type: 'close' }, document.body.dataset.opener)`,
    )
    await until('it is closed', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
  })

  it('a window that is not framed says nothing to whoever opened it', async test => {
    const { application } = world
    const { url } = await newSession()
    const { page, context } = await visit(test)
    application.serve(
      '/opener',
      `<h1>Opener</h1><script>window.heard = []; addEventListener('message', ({ data }) => heard.push(data))</script>
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
      await seesHeading(popup, title)
    }
    await delay(A_WHILE)
    assert.deepEqual(await page.evaluate('heard'), [])
  })
})

describe('a form of another site', () => {
  /** What the page itself would send. */
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

  for (const where of ['unlistedOrigin', 'foreignOrigin'] as const) {
    it(`with a valid token, from ${where}: ends at the consent, never at the third party`, async test => {
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
      await page.goto(`${application[where]}/forged-form`)
      await seesHeading(page, 'Connect Notes to Orbit')
      assert.match(new URL(page.url()).pathname, /^\/connect\//)
      assert.ok(!visited.some(address => address.includes('/oauth/')), visited.join('\n'))
      assert.deepEqual(await attempts(userId), [])
      assert.ok(!(await eventTypes(userId)).includes('link.opened'))

      // A person who wants it goes on from there.
      await page.getByRole('button', { name: 'Continue to Notes' }).click()
      await seesHeading(page, 'Sign in to Notes')
    })
  }

  it('without an origin, as a sandboxed page sends it: the same', async test => {
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
    await seesHeading(page, 'Connect Notes to Orbit')
    assert.deepEqual(await attempts(userId), [])
  })

  it('a key or a cancellation that another site posts changes nothing', async test => {
    const { application, service, linkedConnectors, eventTypes } = world
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault' })
    const url = await tradeToken(linkToken)
    const { page } = await visit(test)
    await page.goto(url)
    const token = await page.locator('input[name=page_token]').first().inputValue()
    for (const path of ['/api-key', '/cancel']) {
      application.serve(
        '/forged-key',
        `<h1>Forged</h1><form method="post" action="${url}${path}"><input name="page_token" value="${token}"><input name="api_key" value="${service.sandbox.vaultKeys.ben}"></form><script>document.forms[0].submit()</script>`,
      )
      await page.goto(`${application.unlistedOrigin}/forged-key`)
      await seesHeading(page, 'Connect with your Vault API key')
    }
    assert.deepEqual(await linkedConnectors(userId), [])
    assert.ok(!(await eventTypes(userId)).includes('link.exited'))
  })
})
