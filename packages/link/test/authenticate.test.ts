import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { settled } from './fake-browser.ts'

const source: string = '../src/index.ts'
const { findAuthenticateMeta, LinkError, onAuthenticateMeta, retryAfterLink } = await import(source)

const meta = { type: 'authenticate_meta', Connector: 'notes', link_token: 'cb_lnk_1' }
const wanted = { type: 'function_call_result', result: meta }

/** Link as far as this is concerned: it loads, it opens, and it ends as the test says. */
const fakeLink = (behaviour: (options: any) => void) => {
  const made: any[] = []
  const createLink = (options: any) => {
    const link = { options, opened: 0, destroyed: 0, open: () => {}, destroy: () => void link.destroyed++ }
    link.open = () => {
      link.opened++
      options.onEvent('open', { mode: 'iframe' })
      behaviour(options)
    }
    made.push(link)
    queueMicrotask(() => options.onLoad())
    return link
  }
  return { createLink, made }
}
const connects = () => fakeLink(options => options.onSuccess({ Connector: 'notes', scopes: ['read'] }))

const eventStream = () => {
  const log = { read: 0, ended: false }
  async function* events() {
    try {
      for (const event of [{ type: 'text', text: 'Let me look' }, wanted, { type: 'text', text: 'unread' }]) {
        log.read++
        yield event
      }
    } finally {
      log.ended = true
    }
  }
  return { events: events(), log }
}

test('a tool result that asks for a connection opens Link, and resolves with what was connected', async () => {
  const { createLink, made } = connects()
  const result = await onAuthenticateMeta({ structuredContent: meta }, { createLink, linkUrl: 'https://l' })
  assert.deepEqual(result, { meta, Connector: 'notes', scopes: ['read'] })
  assert.equal(made[0].options.linkToken, 'cb_lnk_1')
  assert.equal(made[0].options.linkUrl, 'https://l')
  assert.equal(made[0].opened, 1)
})

test('an ordinary result resolves with null and makes nothing', async () => {
  const { createLink, made } = connects()
  for (const value of ['done', null, undefined, 7, { structuredContent: { notes: [] } }, [meta]])
    assert.equal(await onAuthenticateMeta(value, { createLink }), null)
  assert.equal(made.length, 0)
})

test('a stream is passed on until an event asks for a connection; then reading stops', async () => {
  const { createLink } = connects()
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
  const { createLink } = connects()
  let cancelled = false
  const stream = new ReadableStream({
    pull: controller => controller.enqueue(wanted),
    cancel: () => {
      cancelled = true
    },
  })
  const result = await onAuthenticateMeta(stream, { createLink })
  assert.equal(result.Connector, 'notes')
  assert.ok(cancelled)
})

test('a stream that asks for nothing is passed on to its end', async () => {
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

test('a stream that breaks rejects with its own error', async () => {
  const broken = new Error('connection lost')
  const stream = new ReadableStream({ start: controller => controller.error(broken) })
  await assert.rejects(onAuthenticateMeta(stream), broken)
})

test('a person who closes Link: rejected with the code exited, and the caller is told too', async () => {
  const exits: unknown[] = []
  const { createLink, made } = fakeLink(options => options.onExit(null))
  const promise = onAuthenticateMeta(meta, { createLink, onExit: (error: unknown) => exits.push(error) })
  await assert.rejects(promise, (error: any) => error instanceof LinkError && error.code === 'exited')
  assert.deepEqual(exits, [null])
  assert.equal(made[0].destroyed, 1)
})

test('a failure: rejected with its error, whether Link was shown or could not be loaded', async () => {
  const failure = new LinkError('provider_error')
  const shown = fakeLink(options => options.onExit(failure))
  await assert.rejects(onAuthenticateMeta(meta, { createLink: shown.createLink }), failure)
  const unloaded = (options: any) => {
    queueMicrotask(() => options.onEvent('error', failure))
    return { open: () => {}, destroy: () => {} }
  }
  await assert.rejects(onAuthenticateMeta(meta, { createLink: unloaded }), failure)
})

test('findAuthenticateMeta is the one that the service shares', () => {
  assert.equal(findAuthenticateMeta(wanted), meta)
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

test('right after success the prompt is run again while it still asks for the same connection', async t => {
  assert.deepEqual(await retry(t, [wanted, wanted, 'answer']), { result: 'answer', ranAt: [0, 500, 1_500] })
})

test('it gives up after four runs, and returns what the last one said', async t => {
  assert.deepEqual(await retry(t, [wanted]), { result: wanted, ranAt: [0, 500, 1_500, 3_500] })
})

test('another Connector that asks is not waited for', async t => {
  assert.deepEqual(await retry(t, [wanted], { Connector: 'mail' }), { result: wanted, ranAt: [0] })
})
