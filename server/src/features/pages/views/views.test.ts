// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { initial } from '../../../core/initial.ts'
import { brandOf } from '../../organizations/link-customization.ts'
import {
  apiKeyPage,
  awaitingPage,
  brandStyle,
  type ConnectorDisplay,
  cancelledPage,
  connectedPage,
  consentPage,
  expiredPage,
  FAILURE_REASONS,
  type Frame,
  failedPage,
  hashSource,
  KEY_PROBLEMS,
  type KeyField,
  type KnownFrame,
  type Look,
  openingPage,
  pickerPage,
  REFUSED_REASONS,
  refusedPage,
  renewalRequestedPage,
  returnToAppPage,
  SCRIPT,
  SCRIPT_HASH,
  STYLE_HASH,
  STYLESHEET,
  TOOL_KINDS,
  usedPage,
} from './index.ts'
import { appHref, ownPath, webHref } from './vetted-href.ts'
import { en } from './words/en.ts'
import { catalogs } from './words/index.ts'
import { pseudo } from './words/pseudo.ts'
import { plain, say } from './words/sentence.ts'
import type { Words } from './words/words.ts'

const { colors, radius } = brandOf(null)
const look: Look = {
  theme: null,
  colors,
  radius,
  coBranding: true,
  logo: { light: null, dark: null },
  supportHref: 'mailto:help@orbit.example',
  privacyHref: 'https://orbit.example/privacy',
  termsHref: 'https://orbit.example/terms',
}
const languages = Object.values(catalogs).map(({ language, languageName }) => ({
  language,
  name: languageName,
  href: `/link?lang=${language}`,
}))
const plainFrame = { words: en, look, data: {}, embedded: false, languages }

const frame: KnownFrame = {
  ...plainFrame,
  organization: { name: 'Orbit' },
  user: { name: 'Ana Ruiz', isName: true },
  testMode: false,
  requestId: 'req_7Qm2vK9xBdT4',
  time: new Date('2026-03-01T14:32:10Z'),
}
const notes: ConnectorDisplay = {
  slug: 'notes',
  name: 'Notes',
  summary: 'Notes, notebooks',
  categories: ['productivity'],
  letters: null,
  tint: null,
  logo: null,
  linkedBy: 'sign_in',
}
const key: KeyField = {
  name: 'api_key',
  label: 'API key',
  hint: null,
  placeholder: null,
  suffix: null,
  choices: null,
  secret: true,
  required: true,
  isFile: false,
  pattern: null,
  value: null,
}
const start = { action: '/link/start', fields: { form_token: 'ft_start', connector: 'notes' } }
const cancel = { action: '/link/cancel', fields: { form_token: 'ft_cancel' } }

const consent = (changes: Partial<Parameters<typeof consentPage>[1]> = {}, on = frame): string =>
  String(
    consentPage(on, {
      connector: notes,
      abilities: {
        by: 'tools',
        groups: [
          { kind: 'read', tools: ['Search notes', 'Read a note'] },
          { kind: 'delete', tools: ['A', 'B', 'C', 'D', 'E'] },
        ],
      },
      fields: [],
      problem: null,
      alternatives: [],
      alreadyConnectedAs: null,
      endsSharing: false,
      serverHost: null,
      start,
      cancel,
      backHref: '/link',
      opensWindow: false,
      insideApp: false,
      ...changes,
    }),
  )

const apiKey = (changes: Partial<Parameters<typeof apiKeyPage>[1]> = {}, on = frame): string =>
  String(
    apiKeyPage(on, {
      connector: notes,
      abilities: { by: 'account' },
      asksFor: 'key',
      fields: [key],
      steps: [],
      helpUrl: null,
      problem: null,
      endsSharing: false,
      serverHost: null,
      submit: start,
      cancel,
      backHref: null,
      alternatives: [],
      ...changes,
    }),
  )

const picker = (count: number, changes: Partial<ConnectorDisplay> = {}, on = frame): string =>
  String(
    pickerPage(on, {
      connectors: Array.from({ length: count }, (_, i) => ({
        ...notes,
        slug: `notes${i}`,
        categories: i % 3 === 0 ? ['files'] : ['productivity'],
        keywords: [],
        connected: i % 2 === 1,
        ...changes,
      })),
      chooseHref: slug => `/link/choose?connector=${encodeURIComponent(slug)}`,
      cancel,
      filter: { query: '', category: null },
      filterHref: category => `/link?category=${category ?? ''}`,
      view: { lang: 'en' },
    }),
  )

const HOSTILE = `</style></title><script>alert(1)</script>"' onload=x style="x`
const hostileFrame: KnownFrame = {
  ...frame,
  data: { opener: HOSTILE, nonce: HOSTILE },
  embedded: true,
  organization: { name: HOSTILE },
  user: { name: HOSTILE, isName: true },
  testMode: true,
  requestId: HOSTILE,
}
const hostile: ConnectorDisplay = {
  ...notes,
  slug: HOSTILE,
  name: HOSTILE,
  summary: HOSTILE,
  linkedBy: 'key',
}
const hostileTarget = { action: '/link/x?"><script>', fields: { [HOSTILE]: HOSTILE } }

/** Every page twice: with regular values, and with markup in every external text. */
const PAGES: Record<string, string> = {
  consent: consent(),
  'consent, hostile': consent(
    {
      connector: hostile,
      abilities: { by: 'tools', groups: [{ kind: 'read', tools: Array(6).fill(HOSTILE) }] },
      alternatives: [{ by: 'server', href: '/"><script>' }],
      alreadyConnectedAs: HOSTILE,
      start: hostileTarget,
      cancel: hostileTarget,
      backHref: '/"><script>',
      opensWindow: true,
      insideApp: true,
    },
    hostileFrame,
  ),
  'consent, in a frame': consent({ opensWindow: true }),
  'consent, inside another app': consent({ insideApp: true }),
  opening: String(openingPage({ ...frame, organization: null })),
  picker: picker(60),
  'picker, hostile': picker(2, hostile, hostileFrame),
  'picker, empty': picker(0),
  'api key': apiKey(),
  'api key, hostile': apiKey(
    {
      connector: hostile,
      fields: [
        {
          ...key,
          name: HOSTILE,
          label: HOSTILE,
          hint: HOSTILE,
          placeholder: HOSTILE,
          pattern: HOSTILE,
          secret: false,
          value: HOSTILE,
        },
      ],
      abilities: { by: 'scopes', permissions: [{ title: HOSTILE, detail: HOSTILE }] },
      steps: [HOSTILE],
      helpUrl: 'https://notes.example/"><script>',
      problem: 'key_rejected',
      submit: hostileTarget,
    },
    hostileFrame,
  ),
  'api key, choices, hostile': apiKey(
    {
      fields: [
        {
          ...key,
          name: HOSTILE,
          label: HOSTILE,
          hint: HOSTILE,
          choices: [
            { value: HOSTILE, label: HOSTILE },
            { value: 'eu', label: { english: HOSTILE } },
          ],
          secret: false,
          value: HOSTILE,
        },
      ],
      problem: 'address_unfit',
    },
    hostileFrame,
  ),
  ...Object.fromEntries(KEY_PROBLEMS.map(problem => [`api key, ${problem}`, apiKey({ problem })])),
  ...endings('', frame, notes),
  ...endings(', hostile', hostileFrame, hostile),
  ...endings(', unknown', { ...frame, organization: null, user: null }, null),
}

function endings(
  suffix: string,
  on: Frame | KnownFrame,
  connector: ConnectorDisplay | null,
  account = HOSTILE,
): Record<string, string> {
  const known: KnownFrame = { ...on, organization: on.organization ?? { name: 'Orbit' } }
  return Object.fromEntries(
    [
      [
        'connected',
        connectedPage(known, {
          connector: connector ?? notes,
          account,
          back: { to: 'application', href: 'https://x.example/"><script>' },
          another: cancel,
        }),
      ],
      ...(['success', 'exit', 'error'] as const).map(outcome => [
        `return, ${outcome}`,
        returnToAppPage(known, { outcome, connector, href: 'orbit://linked?"><script>', framed: false }),
      ]),
      [
        'return, out of a frame',
        returnToAppPage(known, {
          outcome: 'success',
          connector,
          href: 'https://orbit.example/',
          framed: true,
        }),
      ],
      ['awaiting', awaitingPage(known, { connector })],
      ['expired', expiredPage(on, { renew: on.organization ? cancel : null })],
      ['renewal requested', renewalRequestedPage(known)],
      [
        'connected, no way back',
        connectedPage(known, { connector: connector ?? notes, account, back: null, another: null }),
      ],
      ['used', usedPage(on, { connector, renew: on.organization ? cancel : null })],
      ['cancelled', cancelledPage(on, { connector, retryHref: '/link', back: null, unexpected: false })],
      [
        'cancelled, unexpected',
        cancelledPage(on, { connector, retryHref: '/link', back: null, unexpected: true }),
      ],
      ...FAILURE_REASONS.map(reason => [
        `failed, ${reason}`,
        failedPage(on, {
          connector,
          reason,
          retryHref: '/link',
          back: { to: 'application', href: 'orbit://back' },
        }),
      ]),
      ...REFUSED_REASONS.map(reason => [`refused, ${reason}`, refusedPage(on, { reason })]),
    ].map(([name, markup]) => [`${String(name)}${suffix}`, String(markup)]),
  )
}

const textsOf = (page: string, element: string): string[] =>
  [...page.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(match => match[1] ?? '')
const occurrences = (page: string, part: string): number => page.split(part).length - 1
/** Only the tags, so that text and attribute values are not mistaken for markup. */
const tagsOf = (page: string): string[] =>
  (page.match(/<[a-z][^\s>]*(?:\s[^\s=>]+(?:="[^"]*"|=[^\s">]+)?)*\s*\/?>/g) ?? []).map(tag =>
    tag.replace(/"[^"]*"/g, '""'),
  )

describe('every page', () => {
  for (const [name, page] of Object.entries(PAGES)) {
    test(name, () => {
      assert.deepEqual(textsOf(page, 'script'), [SCRIPT], 'has exactly one script')
      assert.deepEqual(
        textsOf(page, 'style'),
        [STYLESHEET, brandStyle(look)],
        'a name cannot end a stylesheet',
      )
      assert.equal(occurrences(page, '<script'), 1)
      assert.equal(occurrences(page, '</title>'), 1, 'a name cannot end the title')
      for (const tag of tagsOf(page.replaceAll(SCRIPT, '')))
        assert.doesNotMatch(tag, /\s(style|on\w+)=/i, 'the policy would block it')
      assert.ok(occurrences(page, '<h1') >= 1)
      assert.equal(occurrences(page, '<main>'), 1)
      assert.match(page, /^<!doctype html>\n<html lang="en" dir="ltr">/)
      assert.match(page, /<meta name="robots" content="noindex">/)
      assert.match(page, /<title>[^<]+<\/title>/)
      for (const form of page.match(/<form[^>]*>/g) ?? [])
        assert.match(form, /method="post" action="\/|role="search" method="get" action=""/)
      assert.ok(
        gzipSync(page, { level: 9 }).length <= 35 * 1024,
        'the size limit of everything that is loaded',
      )
    })
  }

  test('policy hashes match the script and the stylesheet, which stay within their size budgets', () => {
    assert.equal(SCRIPT_HASH, hashSource(SCRIPT))
    assert.equal(STYLE_HASH, hashSource(STYLESHEET))
    assert.ok(gzipSync(SCRIPT, { level: 9 }).length <= 12 * 1024)
    assert.ok(gzipSync(STYLESHEET, { level: 9 }).length <= 8 * 1024)
  })

  test('final pages state what happened to the data and show the reference', () => {
    for (const [name, page] of Object.entries(endings('', frame, notes))) {
      assert.match(
        page,
        /<dt>Reference<\/dt><dd><code>req_7Qm2vK9xBdT4<\/code> <span class="time">· <time datetime="2026-03-01T14:32:10.000Z" title="14:32 UTC">14:32 UTC<\/time>/,
        name,
      )
      assert.match(page, /nothing was (connected|shared)|stay private|Hidden from/i, name)
    }
  })

  test('names no organization or user if the link was not recognized', () => {
    const page = String(refusedPage({ ...frame, organization: null, user: null }, { reason: 'invalid_link' }))
    assert.doesNotMatch(page, /Orbit|Ana/)
  })

  test('shows the test mode mark in test mode only', () => {
    const marked = String(expiredPage({ ...frame, testMode: true }, { renew: null }))
    assert.match(marked, /<strong class="mark">Test mode<\/strong>/)
    assert.doesNotMatch(String(expiredPage(frame, { renew: null })), /Test mode/)
  })
})

describe('consent', () => {
  test('names the organization, the connector and the user', () => {
    const page = consent()
    assert.match(page, /<title>Connect Notes to Orbit<\/title>/)
    assert.match(page, /<bdi>Orbit<\/bdi>’s assistant wants to use your <bdi>Notes<\/bdi> account/)
    assert.match(page, /For <bdi>Ana Ruiz<\/bdi>/)
    assert.match(page, /never see your password or keys, and you can disconnect at any time/)
  })

  test('starts and cancels by POST with the hidden fields', () => {
    const page = consent()
    assert.match(
      page,
      /<form method="post" action="\/link\/start" data-do="leave"><input type="hidden" name="form_token" value="ft_start"><input type="hidden" name="connector" value="notes">\s*<div class="actions"><button class="button primary" data-busy="Opening Notes…">/,
    )
    assert.match(
      page,
      /<form class="out" id="cancel" method="post" action="\/link\/cancel"><input type="hidden" name="form_token" value="ft_cancel"><button class="square" aria-label="Cancel">/,
    )
    assert.match(
      page,
      /<button class="button quiet" form="cancel" name="unexpected" value="1"><span>Not <bdi>Ana<\/bdi>, or/,
    )
  })

  test('names the account that will be replaced', () => {
    assert.match(
      consent({ alreadyConnectedAs: 'ana@example.com' }),
      /Already connected as <bdi>ana@example.com<\/bdi>/,
    )
  })
})

describe('abilities', () => {
  test('tools are grouped by kind, and long lists are collapsed', () => {
    const page = consent()
    assert.match(page, /Read information<small><bdi>Search notes<\/bdi> · <bdi>Read a note<\/bdi><\/small>/)
    assert.match(
      page,
      /Delete items<small><bdi>A<\/bdi> · <bdi>B<\/bdi> · <bdi>C<\/bdi><\/small><details><summary>and <bdi>2<\/bdi> more<\/summary><small><bdi>D<\/bdi> · <bdi>E<\/bdi>/,
    )
    assert.doesNotMatch(page, /Create new items|Change existing items/)
  })

  test('texts without a translation are marked as English on the consent page, the key form and the picker', () => {
    const english = { english: 'A <text>' }
    const isolated = /<bdi lang="en" dir="ltr">A &lt;text&gt;<\/bdi>/
    assert.match(
      consent({ abilities: { by: 'tools', groups: [{ kind: 'read', tools: [english] }] } }),
      isolated,
    )
    const permissions = [{ title: 'Titel', detail: english }]
    assert.match(consent({ abilities: { by: 'scopes', permissions } }), isolated)
    const form = apiKey({ fields: [{ ...key, label: english, hint: 'Hinweis' }], steps: [english] })
    assert.match(form, /<label for="field-0"><span lang="en" dir="ltr">A &lt;text&gt;<\/span><\/label>/)
    assert.match(form, isolated)
    assert.match(
      picker(1, { summary: english }),
      /<small><span lang="en" dir="ltr">A &lt;text&gt;<\/span><\/small>/,
    )
  })

  test('the API-key page lists abilities too, also if no tool is known', () => {
    assert.match(
      apiKey(),
      /The assistant will be able to<\/h2>\s*<ul><li>.*Use your <bdi>Notes<\/bdi> account<small>This can include/,
    )
  })
})

describe('the organization and the user on the consent page', () => {
  const withLogo: KnownFrame = { ...frame, look: { ...look, logo: { light: '/logo.png', dark: null } } }

  test('the consent page shows the organization’s logo instead of its letter', () => {
    const page = consent({}, withLogo)
    assert.match(
      page,
      /<div class="pair"[^>]*><span class="tile brand"><img class="logo both" src="\/logo.png" alt="">/,
    )
    assert.doesNotMatch(page, /class="tile own"/)
  })

  test('the connected page shows the logo once', () => {
    const model = { connector: notes, account: null, back: null, another: null }
    const page = String(connectedPage(withLogo, model))
    assert.equal(occurrences(page, 'src="/logo.png"'), 1)
    assert.doesNotMatch(page, /class="tile own"/)
  })

  test('a user without a name is not addressed by the first word of an email address', () => {
    const page = consent({}, { ...frame, user: { name: 'ana@example.com', isName: false } })
    assert.match(page, /For <bdi>ana@example.com<\/bdi>/)
    assert.match(page, /<span>Not expecting this\?<\/span>/)
  })
})

describe('picker', () => {
  test('each app is a plain link, and connected apps are marked', () => {
    const page = picker(2)
    assert.match(page, /<a href="\/link\/choose\?connector=notes0">/)
    assert.equal(occurrences(page, '<em>Connected</em>'), 1)
  })

  test('rejects an address that is not a web address', () => {
    const model = {
      connectors: [{ ...notes, keywords: [], connected: false }],
      chooseHref: () => 'javascript:alert(1)',
      cancel,
      filter: { query: '', category: null },
      filterHref: () => '/link',
      view: {},
    }
    assert.throws(() => pickerPage(frame, model), TypeError)
  })
})

describe('api key', () => {
  test('a secret is requested but never written back', () => {
    const page = apiKey({ fields: [{ ...key, value: 'tk_live_secret' }] })
    assert.doesNotMatch(page, /tk_live_secret/)
    assert.match(page, /type="password" required autocomplete="off" autocapitalize="off" spellcheck="false"/)
  })

  test('other fields keep the value that was entered', () => {
    const page = apiKey({ fields: [{ ...key, secret: false, value: 'orbit-support' }] })
    assert.match(page, /type="text"[^>]* value="orbit-support"/)
  })

  test('a rejected key is announced and associated with its field', () => {
    const page = apiKey({ problem: 'key_rejected', fields: [{ ...key, hint: 'Starts with tk_.' }] })
    assert.match(page, /id="problem" role="alert">.*<bdi>Notes<\/bdi> did not accept this key/)
    assert.match(page, /aria-describedby="problem field-0-hint" aria-invalid="true" autofocus>/)
  })

  test('an unavailable provider does not mark the key as invalid', () => {
    assert.doesNotMatch(apiKey({ problem: 'key_check_unavailable' }), /aria-invalid=/)
  })
})

describe('endings', () => {
  test('every final page has an action: a link, a form or a close button', () => {
    for (const embedded of [true, false])
      for (const [name, page] of Object.entries(endings('', { ...frame, embedded }, notes))) {
        if (name === 'awaiting') continue
        assert.match(page, /<div class="actions">.*(<a class="button|<form|data-do="close")/s, name)
        if (!page.includes('data-do="close"'))
          assert.match(page, /<a class="button (primary|quiet)" href="/, name)
      }
  })

  test('used and expired links offer to request a new link', () => {
    for (const page of [
      usedPage(frame, { connector: notes, renew: cancel }),
      expiredPage(frame, { renew: cancel }),
    ])
      assert.match(
        String(page),
        /<form method="post" action="\/link\/cancel">.*Ask <bdi>Orbit<\/bdi> for a new link/,
      )
  })

  test('a request for a new link promises no more than that the organization can see it', () => {
    const page = String(renewalRequestedPage(frame))
    assert.match(page, /Request sent/)
    assert.match(page, /<bdi>Orbit<\/bdi> can see that you need a new link and decides whether to send one/)
  })

  test('the return to the app is automatic and has a visible button', () => {
    const page = String(
      returnToAppPage(frame, {
        outcome: 'success',
        connector: notes,
        href: 'orbit://linked?a=1&b=2',
        framed: false,
      }),
    )
    assert.match(page, /<meta http-equiv="refresh" content="0;url=orbit:\/\/linked\?a=1&amp;b=2">/)
    assert.match(page, /<a class="button primary" href="orbit:\/\/linked\?a=1&amp;b=2">/)
  })

  test('no retry is offered to a user who did not expect the request', () => {
    const model = { connector: notes, retryHref: '/link', back: null }
    assert.match(String(cancelledPage(frame, { ...model, unexpected: false })), /href="\/link"/)
    assert.doesNotMatch(String(cancelledPage(frame, { ...model, unexpected: true })), /href="\/link"/)
  })

  test('an unlisted embedding page gets "unauthorized origin"', () => {
    assert.match(String(refusedPage(frame, { reason: 'unauthorized_origin' })), /unauthorized origin/)
  })
})

describe('languages', () => {
  const pagesIn = (words: Words): Record<string, string> => {
    // Names without Latin letters, so that every remaining letter belongs to a text of Link.
    const display: ConnectorDisplay = { ...notes, name: '⑨', summary: '⑧' }
    const on: KnownFrame = {
      ...frame,
      words,
      languages: [],
      organization: { name: '①' },
      user: { name: '②', isName: true },
      requestId: '③',
      testMode: true,
    }
    const field = { ...key, label: '⑤', hint: '⑥', pattern: '⑬' }
    return {
      consent: consent(
        {
          connector: display,
          abilities: { by: 'tools', groups: TOOL_KINDS.map(kind => ({ kind, tools: Array(5).fill('⑦') })) },
          alternatives: [
            { by: 'key', href: '/' },
            { by: 'sign_in', href: '/' },
            { by: 'server', href: '/' },
          ],
          alreadyConnectedAs: '⑩',
          opensWindow: true,
          insideApp: true,
        },
        on,
      ),
      picker: picker(9, { ...display, categories: ['other'], linkedBy: 'credentials' }, on),
      'picker, empty': picker(0, {}, on),
      ...Object.fromEntries(
        KEY_PROBLEMS.map(problem => [
          problem,
          apiKey(
            { connector: display, fields: [field], steps: ['⑫'], helpUrl: 'https://x.example/', problem },
            on,
          ),
        ]),
      ),
      opening: String(openingPage({ ...on, organization: null })),
      ...endings('', { ...on, embedded: true }, display, '⑪'),
      ...endings(', unknown', { ...on, organization: null, user: null }, null, '⑪'),
    }
  }
  /** All visible and announced texts. */
  const wordsOf = (page: string): string =>
    [
      page.replace(/<(script|style)>[^]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' '),
      ...[...page.matchAll(/\s(?:aria-label|placeholder|alt|data-busy|data-done)="([^"]*)"/g)].map(
        ([, text]) => text,
      ),
    ].join(' ')

  test('no text is hard-coded outside of the catalogs', () => {
    for (const [name, page] of Object.entries(pagesIn(pseudo(en)))) {
      const left = wordsOf(page).replaceAll(/Carabiner|Orbit|Notes|UTC/g, '')
      assert.doesNotMatch(left, /[A-Za-z]{2,}/, name)
    }
  })

  test('every page renders in every language, in its direction', () => {
    for (const words of Object.values(catalogs)) {
      for (const [name, page] of Object.entries(pagesIn(words))) {
        assert.ok(page.includes(`<html lang="${words.language}" dir="${words.direction}">`), name)
        assert.doesNotMatch(page.replace(SCRIPT, ''), /undefined|\[object|NaN/, name)
      }
    }
  })
})

describe('addresses', () => {
  const OWN = ['/', '/link/choose?connector=a&b=%20#c', '?connector=notes']
  const WEB = [
    'https://orbit.example/a?b=c',
    'http://localhost:3000/x',
    'http://127.0.0.1/',
    'http://[::1]:8080/',
  ]
  const APP = ['orbit://linked', 'com.orbit.app:/linked?status=exit', 'intent://x#Intent;end']
  const NEVER = [
    '',
    ' /link',
    'link',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://orbit.example/1',
    'file:///etc/passwd',
    'https://',
    'https:\\\\evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
  ]
  const EXTERNAL = [
    'http://evil.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.1@evil.example/',
    'https:orbit.example',
    'https:///orbit.example',
  ]

  test('a form stays on this origin', () => {
    for (const href of OWN) assert.equal(ownPath(href), href)
    for (const href of [...WEB, ...APP, ...NEVER, ...EXTERNAL])
      assert.throws(() => ownPath(href), TypeError, href)
  })

  test('a link stays on this origin, or is https, or http on loopback', () => {
    for (const href of [...OWN, ...WEB]) assert.equal(webHref(href), href)
    for (const href of [...APP, ...NEVER, ...EXTERNAL]) assert.throws(() => webHref(href), TypeError, href)
  })

  test('an app link may use a custom scheme, but none that executes in the page', () => {
    for (const href of [...APP, ...WEB]) assert.equal(appHref(href), href)
    for (const href of [...NEVER, '/link']) assert.throws(() => appHref(href), TypeError, href)
  })
})

describe('names', () => {
  test('tiles show a connector’s logo instead of its letters', () => {
    const display = { ...notes, logo: '/connector-logos/notes.0123.svg' }
    assert.match(
      picker(1, display),
      /<i aria-hidden=true class=art><img src="\/connector-logos\/notes\.0123\.svg" alt="" loading=lazy><\/i>/,
    )
    assert.match(
      consent({ connector: display }),
      /<span class="tile art" aria-hidden="true"><img src="\/connector-logos\/notes\.0123\.svg" alt=""><\/span>/,
    )
    assert.doesNotMatch(consent({ connector: notes }), /<img/)
  })

  test('the letter of a tile is a whole grapheme', () => {
    assert.equal(initial('notes'), 'N')
    assert.equal(initial('👩🏽‍🚀 Space'), '👩🏽‍🚀')
    assert.equal(initial('\u202eevil'), 'E')
    assert.equal(initial('  '), '·')
  })

  test('in plain text a right-to-left name is isolated and loses its overrides', () => {
    assert.equal(plain(say`Connect ${'Notes'}`), 'Connect Notes')
    assert.equal(plain(say`Connect ${'\u202eمدار\u2069'} to`), 'Connect \u2068مدار\u2069 to')
  })

  test('the show button of a key field does not cover the key on right-to-left pages', () => {
    const arabic = apiKey({}, { ...frame, words: catalogs.ar })
    // Keys are written from the left, so the field and its button are laid out from the left.
    assert.match(arabic, /class="with-toggle" dir="ltr"/)
  })
})
