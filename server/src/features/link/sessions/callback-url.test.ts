import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALLOW_LIST, CALLBACK_CASES } from '../../../../test/support/callback-url-corpus.ts'
import { isRefusal } from '../../../core/refusal.ts'
import { isAppCallback, parseOriginEntry } from '../../organizations/callback-origin.ts'
import { type CallbackOutcome, parseCallbackUrl, withOutcome } from './callback-url.ts'

const allowList = new Set(ALLOW_LIST.map(entry => parseOriginEntry(entry)))

const verdictOf = (text: string): string => {
  try {
    return allowList.has(parseCallbackUrl(text).origin) ? 'allowed' : 'unauthorized_origin'
  } catch (error) {
    return isRefusal(error) ? error.code : `threw ${String(error)}`
  }
}

/*
 * The reference checker. It parses the text by RFC 3986, character by character, and shares nothing with the code under test:
 * neither the URL class nor its helpers. The code must reject every URL that the reference checker rejects.
 */
type Parts = {
  scheme: string
  authority: string | null
  path: string
  query: string | null
  fragment: string | null
}

const splitAt = (text: string, mark: string): [before: string, after: string | null] => {
  const index = text.indexOf(mark)
  return index < 0 ? [text, null] : [text.slice(0, index), text.slice(index + 1)]
}

const split = (text: string): Parts | null => {
  const [beforeFragment, fragment] = splitAt(text, '#')
  const [beforeQuery, query] = splitAt(beforeFragment, '?')
  const [scheme, rest] = splitAt(beforeQuery, ':')
  if (rest === null || !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return null
  const found = { scheme: asciiLower(scheme), query, fragment }
  if (!rest.startsWith('//')) return { ...found, authority: null, path: rest }
  const [authority, path] = splitAt(rest.slice(2), '/')
  return { ...found, authority, path: path === null ? '' : `/${path}` }
}

const asciiLower = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())

const LISTED_WEB = new Set([
  'https app.example.com 443',
  'https staging.example.com 8443',
  'https xn--bcher-kva.example 443',
  'https b\u00fccher.example 443',
  'http localhost 3000',
  'http 127.0.0.1 3000',
  'http [::1] 3000',
])
const LISTED_APPS = new Set(['myapp', 'com.example.app'])

const isListed = ({ scheme, authority }: Parts): boolean => {
  if (LISTED_APPS.has(scheme)) return authority === null || isAppAuthority(authority)
  if (authority === null) return false
  const { host, port } = hostAndPort(authority)
  return LISTED_WEB.has(`${scheme} ${asciiLower(host)} ${port ?? { http: 80, https: 443 }[scheme]}`)
}

const hostAndPort = (authority: string): { host: string; port: number | null } => {
  const [, host, digits] = /^(.*?)(?::([0-9]*))?$/su.exec(authority) ?? []
  return { host: host ?? authority, port: digits ? Number(digits) : null }
}

const isAppAuthority = (authority: string): boolean => {
  const { host, port } = hostAndPort(authority.replace(/^:?@/, ''))
  return (port ?? 0) < 65_536 && (/^\[[0-9A-Fa-f:.]+\]$/.test(host) || !/[<>^|:@[\]]/.test(host))
}

const isBlankOrControl = (character: string): boolean => {
  const code = character.charCodeAt(0)
  return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code === 0x2028 || code === 0x2029
}

/** Decodes all escapes, including nested ones, in one pass over a stack of bytes. */
const decodeFully = (text: string): string => {
  const stack: number[] = []
  for (const byte of Buffer.from(text)) {
    stack.push(byte)
    while (reduce(stack, /^%[0-9a-f]{2}$/i, 3) || reduce(stack, /^%u[0-9a-f]{4}$/i, 6));
  }
  return Buffer.from(stack).toString()
}

const reduce = (stack: number[], escape: RegExp, length: number): boolean => {
  const top = String.fromCharCode(...stack.slice(-length))
  if (!escape.test(top)) return false
  const value = Number.parseInt(top.replace(/^%u?/i, ''), 16)
  stack.splice(-length, length, ...(length === 3 ? [value] : Buffer.from(String.fromCharCode(value))))
  return true
}

/** The name as the most lenient server would read it. */
const bareName = (pair: string): string => {
  const [beforeNul] = splitAt(decodeFully(splitAt(pair, '=')[0]), '\0')
  const opened = beforeNul.replaceAll('+', ' ').replace(/^[\s[\]]+/, '')
  return asciiLower((opened.split(/[[\]]/)[0] ?? '').replace(/\s+$/, ''))
}

const hasReservedName = (query: string): boolean =>
  query
    .replace(/^\?+/, '')
    .split(/[&;]/)
    .map(bareName)
    .some(name => name === 'status' || name === 'code' || name === 'state')

const referenceAllows = (text: string): boolean => {
  const parts = split(text)
  if (!parts || text.includes('\\') || Array.from(text).some(isBlankOrControl)) return false
  return isListed(parts) && !hasReservedName(parts.query ?? '')
}

/*
 * The redirect at the end of the flow.
 */
const OUTCOMES: CallbackOutcome[] = [
  { status: 'exit' },
  { status: 'error', state: 'plain' },
  { status: 'success', code: 'code_1', state: '&code=2#?=+ %00\u00fc' },
]

const decodeOnce = (text: string): string =>
  Buffer.from(
    Buffer.from(text.toWellFormed().replaceAll('+', ' '))
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

const pairsOf = (query: string | null): string[][] =>
  (query ?? '')
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => splitAt(pair, '=').map(part => decodeOnce(part ?? '')))

/** Changes by `withOutcome` other than adding its parameters once; null if there are none. */
const damage = (text: string, outcome: CallbackOutcome): string | null => {
  const { href } = parseCallbackUrl(text)
  const after = withOutcome(href, outcome)
  const [given, before, ended] = [split(text), split(href), split(after)]
  if (!given || !before || !ended) return `cannot be read: ${after}`
  const added = [outcome.status, outcome.code, outcome.state]
    .map((value, index) => [['status', 'code', 'state'][index] ?? '', value ?? ''])
    .filter(([, value]) => value !== '')
  const actual = {
    place: [ended.scheme, ended.authority, ended.path],
    pairs: pairsOf(ended.query),
    fragment: ended.fragment,
  }
  const expected = {
    place: [before.scheme, before.authority, before.path],
    pairs: [...pairsOf(given.query), ...added],
    fragment: before.fragment,
  }
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    return `${JSON.stringify(expected)} became ${JSON.stringify(actual)}`
  if (decodeOnce(given.fragment ?? '') !== decodeOnce(ended.fragment ?? '')) return `fragment of ${after}`
  return given.scheme === ended.scheme && isListed(ended) ? null : `changed target: ${after}`
}

/*
 * Generated cases: URLs of the corpus with random mutations, which are the same in every run.
 */
type Random = (below: number) => number

const seeded = (seed: number): Random => {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => {
  const item = items[random(items.length)]
  assert.ok(item !== undefined)
  return item
}

const FRAGMENTS =
  '@ : / // \\ ? # & ; = % . .. + - [ ] %00 %2e %2f %40 %25 %u0073 * ~ , | ^ < \u00ad \u200b \u3002 \uff0e \u0430 \u00fc \ud800 state code status ?state= &code= ;status= #state= 443 :443 :8443 :3000 :80 0 0x7f 127.0.0.1 [::1] localhost evil.com app.example.com https: http: https:// myapp: myapp:// javascript: blob: data:'
    .split(' ')
    .concat([' ', '\t', '\n', '\0', '\u00a0', '\u2028'])

const percentEncode = (text: string): string =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

const MUTATIONS: ((text: string, at: number, random: Random) => string)[] = [
  (text, at, random) => text.slice(0, at) + pick(random, FRAGMENTS) + text.slice(at),
  (text, at, random) => text.slice(0, at) + pick(random, FRAGMENTS) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at, at + 1).repeat(2) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + percentEncode(text.slice(at, at + 1)) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at, at + 3).toUpperCase() + text.slice(at + 3),
  (text, at, random) => text.slice(0, at) + pick(random, short).slice(random(20)),
]

const hide = (letter: string, random: Random): string => {
  let hidden = random(2) ? letter : letter.toUpperCase()
  for (let layers = random(4); layers > 0; layers--) {
    hidden = layers % 2 ? percentEncode(hidden).toUpperCase() : hidden.replaceAll('%', '%25')
  }
  return hidden
}

const shortCases = CALLBACK_CASES.filter(({ url }) => url.length < 300)
const short = shortCases.map(({ url }) => url)
const shortAndAllowed = shortCases.filter(({ verdict }) => verdict === 'allowed').map(({ url }) => url)

const mutate = (random: Random): string => {
  let text = pick(random, random(2) ? short : shortAndAllowed)
  for (let times = 1 + random(3); times > 0; times--) {
    text = pick(random, MUTATIONS)(text, random(Math.min(text.length, 60) + 1), random)
  }
  return text
}

const random = seeded(20_250_101)
const generated = Array.from({ length: 12_000 }, () => mutate(random))

test('callback URL: every address of the corpus is accepted or rejected as expected', () => {
  const wrong = CALLBACK_CASES.map(entry => ({ ...entry, given: verdictOf(entry.url) }))
    .filter(({ verdict, given }) => given !== verdict)
    .map(
      ({ url, verdict, given, why }) =>
        `${JSON.stringify(url.slice(0, 90))}: ${given}, not ${verdict} (${why})`,
    )
  assert.deepEqual(wrong, [])
})

test('callback URL corpus: large, without duplicates, consistent with the reference checker', () => {
  assert.ok(CALLBACK_CASES.length >= 220)
  assert.equal(new Set(CALLBACK_CASES.map(({ url }) => url)).size, CALLBACK_CASES.length)
  const disputed = CALLBACK_CASES.filter(
    ({ url, verdict }) => referenceAllows(url) !== (verdict === 'allowed'),
  )
  assert.deepEqual(disputed, [])
})

test('callback URL: accepts no generated address that the reference checker rejects', () => {
  const allowed = [...CALLBACK_CASES.map(({ url }) => url), ...generated].filter(
    text => verdictOf(text) === 'allowed',
  )
  assert.ok(
    allowed.length > 1500,
    `only ${allowed.length} were allowed: the mutations are too rough to prove much`,
  )
  assert.deepEqual(
    allowed.filter(text => !referenceAllows(text)).map(text => JSON.stringify(text.slice(0, 200))),
    [],
  )
})

test('callback URL: random input is accepted or refused, never fails otherwise', () => {
  const thrown = generated.map(verdictOf).filter(verdict => verdict.startsWith('threw'))
  assert.deepEqual(thrown, [])
})

test('callback URL: reserved parameters are found in any escaping, case and position', () => {
  for (let round = 0; round < 2000; round++) {
    const name = Array.from(pick(random, ['state', 'code', 'status']), letter => hide(letter, random)).join(
      '',
    )
    const before = pick(random, ['', 'x=1&', 'x;', '&', '+', '%20', 'states=1&'])
    const after = pick(random, ['', '=', '=1', '[]=1', '%5b%5D=1', '+=1', '%2520=1', '&x=1', ';x', '#f'])
    const text =
      pick(random, ['https://app.example.com/cb?', 'myapp:?', 'http://[::1]:3000?']) + before + name + after
    assert.equal(verdictOf(text), 'reserved_callback_parameter', text)
  }
})

test('withOutcome: adds the outcome once and changes nothing else of the URL', () => {
  const damaged = [...CALLBACK_CASES.map(({ url }) => url), ...generated]
    .filter(text => verdictOf(text) === 'allowed' && referenceAllows(text))
    .flatMap(text => OUTCOMES.map(outcome => damage(text, outcome)))
    .filter(found => found !== null)
  assert.deepEqual(damaged, [])
})

test('withOutcome: formats the outcome as in the specification', () => {
  const table: [href: string, outcome: CallbackOutcome, written: string][] = [
    ['https://a.example/', { status: 'exit' }, 'https://a.example/?status=exit'],
    ['https://a.example/?', { status: 'exit' }, 'https://a.example/?status=exit'],
    ['https://a.example/?x=1', { status: 'error' }, 'https://a.example/?x=1&status=error'],
    ['https://a.example/?x=1&', { status: 'error' }, 'https://a.example/?x=1&status=error'],
    ['https://a.example/#f?x', { status: 'exit' }, 'https://a.example/?status=exit#f?x'],
    ['https://a.example/?x#', { status: 'exit' }, 'https://a.example/?x&status=exit#'],
    [
      'https://a.example/?x=%7e+\u0027#a#b',
      { status: 'exit' },
      'https://a.example/?x=%7e+\u0027&status=exit#a#b',
    ],
    ['https://a.example/?x=1?', { status: 'exit' }, 'https://a.example/?x=1?&status=exit'],
    ['https://a.example/?x;', { status: 'exit' }, 'https://a.example/?x;&status=exit'],
    [
      'https://a.example/',
      { status: 'exit', state: '\ud800' },
      'https://a.example/?status=exit&state=%EF%BF%BD',
    ],
    ['myapp://', { status: 'exit', state: null }, 'myapp://?status=exit'],
    ['myapp:cb', { status: 'error', state: 's' }, 'myapp:cb?status=error&state=s'],
    [
      'https://a.example/',
      { status: 'success', code: 'c', state: 'a b&c' },
      'https://a.example/?status=success&code=c&state=a%20b%26c',
    ],
  ]
  for (const [href, outcome, written] of table) assert.equal(withOutcome(href, outcome), written)
})

test('isAppCallback: distinguishes custom schemes from web URLs', () => {
  for (const { url, verdict } of CALLBACK_CASES.filter(entry => entry.verdict === 'allowed')) {
    assert.equal(
      isAppCallback(parseCallbackUrl(url).href),
      !/^https?:/i.test(url),
      `${verdict}: ${url.slice(0, 90)}`,
    )
  }
})
