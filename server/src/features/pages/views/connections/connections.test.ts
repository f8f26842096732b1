// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOUR } from '../../../../core/duration.ts'
import { brandOf } from '../../../organizations/link-customization.ts'
import {
  type ConnectorDisplay,
  type FormTarget,
  KEY_PROBLEMS,
  type KeyProblem,
  type KnownFrame,
  REVOCATION_STATES,
  SCRIPT,
  STYLESHEET,
} from '../index.ts'
import { nearTime } from '../time.ts'
import { catalogs } from '../words/index.ts'
import { pseudo } from '../words/pseudo.ts'
import type { Words } from '../words/words.ts'
import { type ConnectionModel, connectionPage } from './detail.ts'
import { confirmDisconnectPage, disconnectedPage } from './disconnect.ts'
import { connectionsPage, openConnectionsPage } from './list.ts'
import type { ConnectionDetail } from './model.ts'
import { replacePage } from './replace.ts'

const HOSTILE = '"><script>alert(1)</script>\u202e'
const NOW = new Date('2026-11-03T09:41:00Z')
const { colors, radius, logo } = brandOf(null)

const frameWith = (words: Words, name: string): KnownFrame => ({
  words,
  look: {
    theme: null,
    colors,
    radius,
    coBranding: false,
    logo,
    supportHref: null,
    privacyHref: null,
    termsHref: null,
  },
  data: {},
  embedded: false,
  languages: [],
  organization: { name },
  user: { name, isName: true },
  testMode: true,
  requestId: 'req_1',
  time: NOW,
})

/** Every page, with this name in every external text. */
const pagesWith = (words: Words, name: string): Record<string, string> => {
  const frame = frameWith(words, name)
  const connector: ConnectorDisplay = {
    slug: 'notes',
    name,
    summary: name,
    categories: [],
    letters: null,
    tint: null,
    logo: null,
    linkedBy: 'sign_in',
  }
  const form: FormTarget = { action: '/here', fields: { view: name } }
  const field = {
    name: 'key',
    label: name,
    hint: name,
    placeholder: name,
    suffix: null,
    choices: null,
    required: false,
    pattern: null,
    value: null,
  }
  const replacement = (problem: KeyProblem) =>
    replacePage(frame, {
      connector,
      asksFor: problem.startsWith('key') ? 'key' : 'credentials',
      fields: [
        { ...field, secret: true, isFile: true },
        { ...field, secret: false, isFile: false, suffix: name },
      ],
      steps: [name],
      helpUrl: null,
      problem,
      invalidField: null,
      submit: form,
      backHref: '/back',
    })
  const detail = (changes: Partial<ConnectionDetail>, more: Partial<ConnectionModel> = {}) =>
    connectionPage(frame, {
      connection: {
        connector,
        account: name,
        label: name,
        state: 'active',
        since: NOW,
        pausedUntil: null,
        calls: [true, false].map(succeeded => ({ tool: name, at: NOW, succeeded })),
        ...changes,
      },
      backHref: '/back',
      reconnect: changes.state === 'needs_reauth' ? null : form,
      add: form,
      rename: null,
      rejectedLabel: null,
      replace: null,
      wasReplaced: false,
      pause: form,
      resume: form,
      disconnectHref: '/disconnect',
      ...more,
    })
  const own = { connector, account: name, backHref: '/back' }
  const pages = {
    open: openConnectionsPage(frame, { open: form }),
    list: connectionsPage(frame, {
      shared: [true, false].map(isOfOrganization => ({
        connector,
        account: name,
        label: `1 ${name}`,
        state: isOfOrganization ? 'paused' : 'active',
        isOfOrganization,
      })),
      clients: [{ name, since: NOW, signOut: form }],
      pending: [{ connector: name, title: name, accountLabel: name, since: NOW, deny: form }],
      decided: (['approve', 'deny'] as const).map(decision => ({
        connector: name,
        title: name,
        accountLabel: name,
        decision,
        at: NOW,
      })),
      grants: [
        {
          connector: name,
          title: name,
          accountLabel: name,
          anyText: true,
          until: NOW,
          left: 3,
          revoke: form,
        },
      ],
      connections: (['active', 'needs_reauth', 'paused'] as const).map(state => ({
        connector,
        account: name,
        label: `1 ${name}`,
        state,
        href: '/one',
      })),
    }),
    none: connectionsPage(frame, {
      connections: [],
      shared: [],
      clients: [],
      pending: [],
      decided: [],
      grants: [],
    }),
    connected: detail({}),
    'one of several': detail({ label: `1 ${name}` }, { rename: form }),
    'rejected label': detail({}, { rename: form, rejectedLabel: name }),
    unused: detail({ calls: [], account: null, label: null }),
    paused: detail({ state: 'paused', pausedUntil: new Date(NOW.getTime() + HOUR) }),
    rejected: detail({ state: 'needs_reauth' }),
    replaceable: detail({}, { replace: { asksFor: 'key', href: '/replace' } }),
    replaced: detail({}, { replace: { asksFor: 'credentials', href: '/replace' }, wasReplaced: true }),
    ...Object.fromEntries(KEY_PROBLEMS.map(problem => [`replace, ${problem}`, replacement(problem)])),
    confirm: confirmDisconnectPage(frame, { ...own, disconnect: form }),
    ...Object.fromEntries(
      REVOCATION_STATES.map(revocation => [
        `disconnected, ${revocation}`,
        disconnectedPage(frame, { ...own, revocation, checkHref: '/again' }),
      ]),
    ),
    'disconnected, no receipt': disconnectedPage(frame, { ...own, revocation: null, checkHref: '/again' }),
  }
  return Object.fromEntries(Object.entries(pages).map(([title, page]) => [title, String(page)]))
}

describe('pages of My connections', () => {
  for (const [title, page] of Object.entries(pagesWith(catalogs.en, HOSTILE)))
    test(`${title}: markup in a name stays text`, () => {
      assert.equal(page.split('<script').length - 1, 1)
      assert.equal(page.split('</title>').length - 1, 1)
      assert.doesNotMatch(page.replace(SCRIPT, ''), /\s(style|on[a-z]+)=/)
    })

  for (const [title, page] of Object.entries(pagesWith(pseudo(catalogs.en), 'Ω')))
    test(`${title}: every text is in the catalogs`, () => {
      const text = page
        .replace(SCRIPT, '')
        .replace(STYLESHEET, '')
        .replace(/<style>[^<]*<\/style>|<time[^]*?<\/time>|<code[^]*?<\/code>|⟦[^⟧]*⟧/g, '')
        .replace(/<[^>]*>/g, ' ')
      assert.doesNotMatch(text.replaceAll('Ω', ''), /\p{L}/u)
    })

  for (const [language, words] of Object.entries(catalogs))
    test(`${language}: times are formatted in the language, in UTC without a script`, () => {
      const { paused } = pagesWith(words, 'Notes')
      const until = new Date(NOW.getTime() + HOUR)
      const clock = until.toLocaleString(language, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
      assert.ok(
        paused?.includes(`<time datetime="${until.toISOString()}" title="${clock} UTC">${clock} UTC</time>`),
      )
    })

  test('a time within half a day is shown without its date, a later one with it', () => {
    const frame = frameWith(catalogs.en, 'Orbit')
    const shown = (hours: number) => String(nearTime(frame, new Date(NOW.getTime() + hours * HOUR)))
    assert.match(shown(1), />10:41 AM UTC</)
    assert.match(shown(12), />09:41 PM UTC</)
    assert.match(shown(24), /data-form="moment">Nov 4, 2026, 09:41 AM UTC</)
  })
})
