import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseView, readView, serializeView, surfaces, type View, viewQuery } from './view.ts'

const APP = 'https://app.example.com'
const HANDLE = `k3Xa${'a-_9'.repeat(16)}`
const FRAME = 'a-_9'.repeat(5) + 'xy'
const views: View[] = surfaces.flatMap(surface =>
  [null, 'de', 'pt-BR'].flatMap(lang =>
    ([null, 'light', 'dark'] as const).flatMap(theme =>
      [null, APP, 'http://localhost:5173', 'https://[::1]:8443'].flatMap(opener =>
        [null, 'n0nce_n0-nce'].flatMap(nonce =>
          [null, HANDLE].flatMap(connections =>
            [null, FRAME].map(frame => ({ surface, lang, theme, opener, nonce, connections, frame })),
          ),
        ),
      ),
    ),
  ),
)

test('view: survives the round trip through an attempt unchanged', () => {
  for (const view of views) assert.deepEqual(parseView(serializeView(view)), view)
})

test('view: stays the same on the next page', () => {
  for (const view of views) {
    const parameters = Object.fromEntries(new URLSearchParams(viewQuery(view)))
    assert.deepEqual(readView(parameters, view.surface), view)
  }
})

test('viewQuery: extra parameters are added, and null removes one', () => {
  const view: View = {
    surface: 'magic_link',
    lang: 'de',
    theme: null,
    opener: null,
    nonce: null,
    connections: null,
    frame: null,
  }
  assert.equal(viewQuery({ ...view, lang: null }), '')
  assert.equal(viewQuery(view, { connector: 'a&b=c' }), '?lang=de&connector=a%26b%3Dc')
  assert.equal(viewQuery(view, { lang: null, connector: null }), '')
})

test('readView: each invalid value is dropped', () => {
  const hostile: Record<keyof Omit<View, 'surface'>, unknown[]> = {
    lang: ['', 'x', 'toolong', 'de"', 'de-', '../en', 'de\n', ['de'], { a: 1 }, 1, null, 'a'.repeat(99)],
    theme: ['', 'Dark', 'dark ', 'auto', ['dark'], 1, null],
    opener: [
      '',
      'null',
      '*',
      `${APP}/`,
      `${APP}/path`,
      `${APP}?x`,
      `${APP}#x`,
      `${APP} `,
      ` ${APP}`,
      `${APP}\nhttps://evil.example.com`,
      'javascript:alert(1)',
      'data:text/html,x',
      '//app.example.com',
      'myapp://',
      'https://',
      `https://${'a'.repeat(256)}`,
      [APP],
      1,
      null,
    ],
    nonce: [
      '',
      'short',
      'a'.repeat(65),
      'with space',
      'quote"quote',
      '<script>',
      'ünïcödé-nonce',
      ['12345678'],
      1,
    ],
    connections: [
      '',
      HANDLE.slice(1),
      `${HANDLE}a`,
      `${HANDLE.slice(1)}/`,
      `../${HANDLE.slice(3)}`,
      [HANDLE],
      1,
      null,
    ],
    frame: ['', FRAME.slice(1), `${FRAME}a`, `${FRAME.slice(1)}/`, [FRAME], 1, null],
  }
  const good = {
    lang: 'de',
    theme: 'dark',
    opener: APP,
    nonce: '12345678',
    connections: HANDLE,
    frame: FRAME,
  }
  for (const [name, values] of Object.entries(hostile))
    for (const value of values)
      assert.deepEqual(
        readView({ ...good, [name]: value }, 'embedded'),
        { surface: 'embedded', ...good, [name]: null },
        `${name}: ${JSON.stringify(value)}`,
      )
})

test('parseView: malformed input yields the default view', () => {
  const plain: View = {
    surface: 'magic_link',
    lang: null,
    theme: null,
    opener: null,
    nonce: null,
    connections: null,
    frame: null,
  }
  for (const text of [
    '',
    '&&&',
    '=',
    'surface=',
    'surface=admin',
    '__proto__=x',
    'surface[]=hosted',
    '%',
    '\0',
  ])
    assert.deepEqual(parseView(text), plain, text)
  const huge = `lang=de&nonce=12345678&x=${'a'.repeat(100_000)}&theme=dark`
  assert.deepEqual(parseView(huge), { ...plain, lang: 'de', nonce: '12345678' }, 'only the beginning is read')
})
