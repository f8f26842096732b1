import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { after, afterEach, before, describe, it } from 'node:test'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import {
  allowLoopback,
  createEgress,
  EgressError,
  type EgressFailure,
  type EgressMethod,
  type EgressResponse,
  standInForNetwork,
} from './egress.ts'

const closed = createEgress()
const open = createEgress({ [allowLoopback]: true })
const failsWith = (failure: EgressFailure) => (error: unknown) =>
  error instanceof EgressError && error.failure === failure
const get = (
  url: string,
  options: { timeoutMs?: number; maxBytes?: number } = {},
  egress = open,
): Promise<EgressResponse> => egress.request({ url, method: 'GET', ...options })

describe('the egress', () => {
  let server: Server
  let base: string
  let answer: RequestListener = (_, response) => void response.end('ok')
  let reached = 0

  before(async () => {
    server = createServer((request, response) => {
      reached++
      answer(request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterEach(() => {
    reached = 0
  })
  after(async () => {
    await Promise.all([open.close(), closed.close()])
    server.close()
    server.closeAllConnections()
  })

  const port = () => new URL(base).port

  describe('allowed destinations', () => {
    // Notations of two addresses that URL parsers accept. The parser normalizes them before they are checked.
    const loopbackNotations = [
      '127.1',
      '127.0.1',
      '2130706433',
      '017700000001',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '0x7f000001',
      '0x7F.1',
      '[::ffff:127.0.0.1]',
      '[0:0:0:0:0:0:0:1]',
      '１２７.0.0.1',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '127.0.0.1.',
    ]
    const metadataNotations = [
      '2852039166',
      '0xa9fea9fe',
      '0251.0376.0251.0376',
      '169.254.43518',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::]',
    ]

    for (const host of [
      ...loopbackNotations,
      ...metadataNotations,
      '0.0.0.0',
      '0',
      '[::]',
      '10.1',
      '[fd00::1]',
      '168.63.129.16',
      '100.64.0.1',
      '255.255.255.255',
    ])
      it(`never connects to ${host}`, async () => {
        for (const scheme of ['https', 'http'])
          await assert.rejects(get(`${scheme}://${host}:${port()}/`, {}, closed), failsWith('blocked'))
        assert.equal(reached, 0)
      })

    for (const host of metadataNotations)
      it(`does not connect to ${host} even if loopback is allowed`, async () => {
        await assert.rejects(get(`http://${host}:${port()}/`), failsWith('blocked'))
        await assert.rejects(get(`https://${host}:${port()}/`), failsWith('blocked'))
      })

    it('does not connect to a name that resolves to loopback', async () => {
      for (const host of ['localhost', 'LOCALHOST'])
        await assert.rejects(get(`https://${host}:${port()}/`, {}, closed), failsWith('unreachable'), host)
      // Whether this name resolves depends on the machine.
      await assert.rejects(get(`https://localhost.:${port()}/`, {}, closed), EgressError)
      assert.equal(reached, 0)
    })

    it('connects to loopback if that is allowed', async () => {
      assert.equal((await get(base)).body.toString(), 'ok')
    })

    it('uses plain http for loopback only, and only if loopback is allowed', async () => {
      for (const url of [
        'http://example.com/',
        'http://8.8.8.8/',
        'http://localhost.example.com/',
        'http://127.0.0.1.nip.io/',
      ])
        await assert.rejects(get(url), failsWith('blocked'), url)
      for (const url of [base, `http://localhost:${port()}/`, 'http://example.com/'])
        await assert.rejects(get(url, {}, closed), failsWith('blocked'), url)
      assert.equal(reached, 0)
    })

    it('rejects schemes other than http and https', async () => {
      for (const url of [
        'ftp://example.com/',
        'file:///etc/passwd',
        'data:text/plain,x',
        'ws://example.com/',
        'blob:https://a/b',
        'javascript:1',
      ])
        await assert.rejects(get(url), failsWith('blocked'), url)
    })

    it('rejects a URL with credentials', async () => {
      for (const userinfo of ['user:password', 'user', ':password'])
        await assert.rejects(get(`http://${userinfo}@127.0.0.1:${port()}/`), failsWith('blocked'), userinfo)
      assert.equal(reached, 0)
    })

    it('applies to fetch as well', async () => {
      for (const url of [
        'https://127.0.0.1/',
        new URL('https://[::1]/'),
        'http://example.com/',
        'https://u:p@example.com/',
      ])
        await assert.rejects(closed.fetch(url), failsWith('blocked'), String(url))
    })

    it('reveals neither path nor credentials in its errors', async () => {
      await assert.rejects(
        get('https://user:hunter2@10.0.0.1/canary?code=canary', {}, closed),
        (error: Error) => {
          assert.doesNotMatch(String(error.stack), /hunter2|canary/)
          return true
        },
      )
    })
  })

  it('follows no redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      answer = (_, response) => void response.writeHead(status, { location: `${base}/elsewhere` }).end()
      const redirected = await get(base)
      assert.deepEqual([redirected.status, redirected.headers.location], [status, `${base}/elsewhere`])
      const fetched = await open.fetch(base)
      assert.equal(fetched.status, status)
    }
    assert.equal(reached, 10)
  })

  it('sends method, headers and body unchanged', async () => {
    answer = (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () =>
        response.end(
          JSON.stringify([request.method, request.headers['x-test'], Buffer.concat(chunks).toString()]),
        ),
      )
    }
    const sent = {
      method: 'POST',
      headers: { 'x-test': 'a' },
      body: 'b=1',
    } as const
    assert.equal((await open.request({ url: base, ...sent })).body.toString(), '["POST","a","b=1"]')
    assert.deepEqual(await (await open.fetch(base, sent)).json(), ['POST', 'a', 'b=1'])
    assert.deepEqual(
      await (await open.fetch(base, { method: 'POST', body: new URLSearchParams({ b: '2' }) })).json(),
      ['POST', null, 'b=2'],
    )
  })

  it('sends every writing method, by request and by fetch', async () => {
    answer = (request, response) => void response.end(request.method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as EgressMethod[]) {
      assert.equal((await open.request({ url: base, method })).body.toString(), method)
      assert.equal(await (await open.fetch(base, { method })).text(), method)
      assert.equal(await (await open.fetch(new Request(base, { method }))).text(), method)
    }
    await assert.rejects(open.fetch(base, { method: 'TRACE' }), TypeError)
  })

  it('accepts body and headers of a Request', async () => {
    answer = (request, response) =>
      void request.pipe(response.setHeader('x-got', request.headers['x-test'] ?? ''))
    const fetched = await open.fetch(
      new Request(base, { method: 'PUT', headers: { 'x-test': 'a' }, body: 'b' }),
    )
    assert.deepEqual([fetched.headers.get('x-got'), await fetched.text()], ['a', 'b'])
  })

  describe('a streamed response', () => {
    const answerWithoutEnd = (): Promise<void> =>
      new Promise(resolve => {
        answer = (_, response) => void response.on('close', () => resolve()).write('first')
      })

    it('arrives in chunks, and is closed when reading stops', async () => {
      const ended = answerWithoutEnd()
      const streamed = await open.stream({ url: base, method: 'POST', body: '{}' })
      for await (const part of streamed.chunks()) {
        assert.equal(part.toString(), 'first')
        break
      }
      await ended
    })

    it('is closed when it is discarded', async () => {
      const ended = answerWithoutEnd()
      const streamed = await open.stream({ url: base, method: 'GET' })
      streamed.discard()
      await ended
    })

    const readAll = async (options: { timeoutMs?: number; maxBytes?: number; signal?: AbortSignal }) => {
      const streamed = await open.stream({ url: base, method: 'GET', ...options })
      for await (const part of streamed.chunks()) void part
    }

    it('fails at the size limit, after decoding and for any chunk size', async () => {
      answer = (request, response) => {
        const pump = setInterval(() => response.write('data: x\n\n'), 1)
        request.on('close', () => clearInterval(pump))
      }
      await assert.rejects(readAll({ maxBytes: 100 }), failsWith('too_large'))
      const bomb = gzipSync(Buffer.alloc(1024 * 1024))
      answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      await assert.rejects(readAll({ maxBytes: 10_000 }), failsWith('too_large'))
    })

    it('fails at its own or the caller’s timeout, even if bytes keep arriving', async () => {
      answer = (request, response) => {
        const drip = setInterval(() => response.write(':'), 20)
        request.on('close', () => clearInterval(drip))
      }
      await assert.rejects(readAll({ timeoutMs: 150 }), failsWith('timeout'))
      await assert.rejects(readAll({ signal: AbortSignal.timeout(150) }), failsWith('timeout'))
      const neverAborted = new AbortController().signal
      await assert.rejects(readAll({ timeoutMs: 150, signal: neverAborted }), failsWith('timeout'))
    })
  })

  describe('checking without calling', () => {
    const standIn = createEgress({
      [standInForNetwork]: {
        addresses: {
          'public.example': ['93.184.216.34'],
          'inside.example': ['127.0.0.1'],
          'both.example': ['93.184.216.34', '10.0.0.1'],
          'nothing.example': [],
        },
      },
    })
    after(() => standIn.close())

    it('accepts a public name and address', async () => {
      await standIn.mayCall('https://public.example/path')
      await standIn.mayCall('https://93.184.216.34/')
    })

    it('rejects URLs that a request would reject', async () => {
      for (const url of [
        'https://inside.example/',
        'https://both.example/',
        'https://nothing.example/',
        'https://no-such-host.invalid/',
      ]) {
        await assert.rejects(standIn.mayCall(url), failsWith('unreachable'), url)
        await assert.rejects(get(url, {}, standIn), failsWith('unreachable'), url)
      }
      for (const url of [
        'http://public.example/',
        'https://u:p@public.example/',
        'https://[::1]/',
        'nonsense',
      ]) {
        await assert.rejects(standIn.mayCall(url), failsWith('blocked'), url)
        await assert.rejects(get(url, {}, standIn), failsWith('blocked'), url)
      }
      assert.equal(reached, 0)
    })
  })

  it('replaces a named host in a test, and guards every other one', async () => {
    answer = (request, response) => void response.end(request.headers.host)
    const staged = createEgress({ [standInForNetwork]: { listeners: { 'hostile.example': Number(port()) } } })
    assert.equal((await get('https://hostile.example/x', {}, staged)).body.toString(), 'hostile.example')
    await staged.mayCall('https://hostile.example/')
    await assert.rejects(get(base, {}, staged), failsWith('blocked'))
    await assert.rejects(get('http://hostile.example/', {}, staged), failsWith('blocked'))
    await staged.close()
  })

  describe('size limit', () => {
    const MAX = 10_000
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }
    const encodings = {
      gzip: gzipSync,
      'x-gzip': gzipSync,
      deflate: deflateSync,
      br: (bytes: Buffer) => brotliCompressSync(bytes, quick),
    }

    it('accepts exactly the limit, and not one byte more', async () => {
      for (const [bytes, fits] of [
        [MAX, true],
        [MAX + 1, false],
      ] as const) {
        answer = (_, response) => void response.end(Buffer.alloc(bytes, 'a'))
        const requested = get(base, { maxBytes: MAX })
        if (fits) assert.equal((await requested).body.length, bytes)
        else await assert.rejects(requested, failsWith('too_large'))
      }
    })

    for (const [encoding, compress] of Object.entries(encodings)) {
      it(`decodes ${encoding} and stops a decompression bomb`, async () => {
        const send =
          (body: Buffer): RequestListener =>
          (_, response) =>
            void response.writeHead(200, { 'content-encoding': encoding }).end(body)
        answer = send(compress(Buffer.from('small')))
        const small = await get(base)
        assert.deepEqual([small.body.toString(), small.headers['content-encoding']], ['small', undefined])
        const bomb = compress(Buffer.alloc(16 * 1024 * 1024, 'a'))
        assert.ok(bomb.length < 100_000)
        answer = send(bomb)
        const earlier = process.memoryUsage().arrayBuffers
        await assert.rejects(get(base, { maxBytes: MAX }), failsWith('too_large'))
        assert.ok(process.memoryUsage().arrayBuffers - earlier < 8 * 1024 * 1024)
      })

      it(`fails on truncated or invalid ${encoding}`, async () => {
        const cut = compress(Buffer.from('text'.repeat(100))).subarray(0, -6)
        for (const body of [cut, Buffer.from('plain text')]) {
          answer = (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body)
          await assert.rejects(get(base), EgressError)
        }
      })
    }

    it('stops a response that never ends', async () => {
      answer = (request, response) => {
        const pump = setInterval(() => response.write(Buffer.alloc(4096)), 1)
        request.on('close', () => clearInterval(pump))
      }
      await assert.rejects(get(base, { maxBytes: MAX }), failsWith('too_large'))
    })
  })

  describe('timeout', () => {
    it('ends a request without a response', async () => {
      answer = () => undefined
      await assert.rejects(get(base, { timeoutMs: 150 }), failsWith('timeout'))
    })

    it('ends a body that never ends', async () => {
      answer = (_, response) => void response.write('{"half":')
      await assert.rejects(get(base, { timeoutMs: 150 }), failsWith('timeout'))
    })

    it('ends a body that arrives slowly', async () => {
      answer = (request, response) => {
        const drip = setInterval(() => response.write('.'), 20)
        request.on('close', () => clearInterval(drip))
      }
      await assert.rejects(get(base, { timeoutMs: 200 }), failsWith('timeout'))
    })

    it('ends when the caller aborts', async () => {
      answer = () => undefined
      const signal = AbortSignal.timeout(100)
      await assert.rejects(open.request({ url: base, method: 'GET', signal }), EgressError)
    })
  })

  it('distinguishes reset, closed and refused connections from slow ones', async () => {
    answer = request => void request.socket.resetAndDestroy()
    await assert.rejects(get(base), failsWith('unreachable'))
    answer = request => void request.socket.destroy()
    await assert.rejects(get(base), failsWith('unreachable'))
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => request.socket.resetAndDestroy(), 20)
    }
    await assert.rejects(get(base), failsWith('unreachable'))
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port: free } = gone.address() as { port: number }
    await new Promise(resolve => gone.close(resolve))
    await assert.rejects(get(`http://127.0.0.1:${free}/`), failsWith('unreachable'))
  })

  it('fails in the same way for a name that does not exist', async () => {
    await assert.rejects(get('https://no-such-host.invalid/'), failsWith('unreachable'))
  })

  it('fails with an EgressError for an invalid URL', async () => {
    for (const url of ['', 'x', '//h', 'https://', 'https://[::1', 'https://a b/', 'https://999.1.1.1/'])
      await assert.rejects(get(url), EgressError, url)
  })
})
