import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { settled } from './fake-browser.ts'

const source: string = '../src/index.ts'
const { findAuthenticateMeta, LinkError, onAuthenticateMeta, retryAfterLink } = await import(source)

const meta = { type: 'authenticate_meta', Connector: 'notes', link_token: 'cb_lnk_1' }
const metaEvent = { type: 'function_call_result', result: meta }

/** A fake of Link that loads, opens, and then behaves as the test defines. */
const fakeLink = (behavior: (options: any) => void) => {
  const created: any[] = []
  const createLink = (options: any) => {
    const link = { options, opened: 0, destroyed: 0, open: () => {}, destroy: () => void link.destroyed++ }
    link.open = () => {
      link.opened++
      options.onEvent('open', { mode: 'iframe' })
      behavior(options)
    }
    created.push(link)
    queueMicrotask(() => options.onLoad())
    return link
  }
  return { createLink, created }
}
const createConnectingLink = () =>
  fakeLink(options => options.onSuccess({ Connector: 'notes', scopes: ['read'] }))

const eventStream = () => {
  const log = { read: 0, ended: false }
  async function* events() {
    try {
      for (const event of [
        { type: 'text', text: 'Let me look' },
        metaEvent,
        { type: 'text', text: 'unread' },
      ]) {
        log.read++
        yield event
      }
    } finally {
      log.ended = true
    }
  }
  return { events: events(), log }
}

test('a tool result with authenticate_meta opens Link and resolves with the connection', async () => {
  const { createLink, created } = createConnectingLink()
  const result = await onAuthenticateMeta({ structuredContent: meta }, { createLink, linkUrl: 'https://l' })
  assert.deepEqual(result, { meta, Connector: 'notes', scopes: ['read'] })
  assert.equal(created[0].options.linkToken, 'cb_lnk_1')
  assert.equal(created[0].options.linkUrl, 'https://l')
  assert.equal(created[0].opened, 1)
})

test('a result without authenticate_meta resolves with null and creates no Link', async () => {
  const { createLink, created } = createConnectingLink()
  for (const value of ['done', null, undefined, 7, { structuredContent: { notes: [] } }, [meta]])
    assert.equal(await onAuthenticateMeta(value, { createLink }), null)
  assert.equal(created.length, 0)
})

test('stream items are passed on up to the authenticate_meta, then reading stops', async () => {
  const { createLink } = createConnectingLink()
  const { events, log } = eventStream()
  const passed: unknown[] = []
  const result = await onAuthenticateMeta(events, {
    createLink,
    onItem: (item: unknown) => passed.push(item),
  })
  assert.equal(result.Connector, 'notes')
  assert.deepEqual(passed, [{ type: 'text', text: 'Let me look' }])
  assert.deepEqual(log, { read: 2, ended: true })
})

test('a ReadableStream is cancelled in the same way', async () => {
  const { createLink } = createConnectingLink()
  let cancelled = false
  const stream = new ReadableStream({
    pull: controller => controller.enqueue(metaEvent),
    cancel: () => {
      cancelled = true
    },
  })
  const result = await onAuthenticateMeta(stream, { createLink })
  assert.equal(result.Connector, 'notes')
  assert.ok(cancelled)
})

test('a stream without authenticate_meta is passed on to its end', async () => {
  const passed: unknown[] = []
  const stream = new ReadableStream({
    start: controller => {
      controller.enqueue('a')
      controller.enqueue('b')
      controller.close()
    },
  })
  assert.equal(await onAuthenticateMeta(stream, { onItem: (item: unknown) => passed.push(item) }), null)
  assert.deepEqual(passed, ['a', 'b'])
})

test('a failing stream rejects with its own error', async () => {
  const broken = new Error('connection lost')
  const stream = new ReadableStream({ start: controller => controller.error(broken) })
  await assert.rejects(onAuthenticateMeta(stream), broken)
})

test('closing Link rejects with the code exited and calls onExit', async () => {
  const exits: unknown[] = []
  const { createLink, created } = fakeLink(options => options.onExit(null))
  const promise = onAuthenticateMeta(meta, { createLink, onExit: (error: unknown) => exits.push(error) })
  await assert.rejects(promise, (error: any) => error instanceof LinkError && error.code === 'exited')
  assert.deepEqual(exits, [null])
  assert.equal(created[0].destroyed, 1)
})

test('rejects with the error of Link, whether it was shown or failed to load', async () => {
  const failure = new LinkError('provider_error')
  const shown = fakeLink(options => options.onExit(failure))
  await assert.rejects(onAuthenticateMeta(meta, { createLink: shown.createLink }), failure)
  const unloaded = (options: any) => {
    queueMicrotask(() => options.onEvent('error', failure))
    return { open: () => {}, destroy: () => {} }
  }
  await assert.rejects(onAuthenticateMeta(meta, { createLink: unloaded }), failure)
})

test('findAuthenticateMeta: finds the payload of an event, and returns null without one', () => {
  assert.equal(findAuthenticateMeta(metaEvent), meta)
  assert.equal(findAuthenticateMeta({}), null)
})

const retry = async (t: TestContext, results: unknown[], options?: object) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 })
  t.after(() => mock.timers.reset())
  const ranAt: number[] = []
  const run = () => {
    ranAt.push(Date.now())
    return results[ranAt.length - 1] ?? results.at(-1)
  }
  const promise = retryAfterLink(run, options)
  for (let step = 0; step < 40; step++) {
    await settled()
    mock.timers.tick(250)
  }
  return { result: await promise, ranAt }
}

test('retryAfterLink: runs again while the result still requires the connection', async t => {
  assert.deepEqual(await retry(t, [metaEvent, metaEvent, 'answer']), {
    result: 'answer',
    ranAt: [0, 500, 1_500],
  })
})

test('retryAfterLink: returns the last result after four runs', async t => {
  assert.deepEqual(await retry(t, [metaEvent]), { result: metaEvent, ranAt: [0, 500, 1_500, 3_500] })
})

test('retryAfterLink: does not run again if another Connector is required', async t => {
  assert.deepEqual(await retry(t, [metaEvent], { Connector: 'mail' }), { result: metaEvent, ranAt: [0] })
})
