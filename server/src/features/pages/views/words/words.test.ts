// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LinkLanguage, linkLanguages } from '@carabiner/contract'
import { catalogs, type Words, wordsIn } from './index.ts'
import { pseudo } from './pseudo.ts'
import type { Sentence } from './sentence.ts'

/** Paths of the functions whose parameters are not exactly one name. */
type SpecialPath<T, Prefix extends string = ''> = {
  [K in keyof T & string]: T[K] extends string | Sentence
    ? never
    : T[K] extends (...names: infer N) => Sentence
      ? [N, [string]] extends [[string], N]
        ? never
        : `${Prefix}${K}`
      : SpecialPath<T[K], `${Prefix}${K}.`>
}[keyof T & string]

const A = 'Zephyr'
const B = 'Quill'
const nameOrNone = [[A], [null]]
const bothOrFirst = [
  [A, B],
  [A, null],
]

/** The type requires an entry for each of them, so every branch of every function is called. */
const CALLS: Record<SpecialPath<Words>, unknown[][]> = {
  asks: [[A, B]],
  notExpected: nameOrNone,
  'reconnectReason.endsOn': [[A, B]],
  'reconnectReason.newKeyBy': [[A, B]],
  'picker.search': [[24]],
  'consent.more': [[7]],
  'consent.title': [[A, B]],
  'consent.trust': [[A, B]],
  'apiKey.trust': [[A, B]],
  'credentialsForm.trust': [[A, B]],
  'chooseSite.site.lead': [[A, B]],
  'chooseSite.organization.lead': [[A, B]],
  'chooseAccount.lead': [[A, B]],
  'connections.confirmLead': [[A, B]],
  'returning.title.success': bothOrFirst,
  'returning.title.exit': bothOrFirst,
  'returning.title.error': bothOrFirst,
  'returning.signedIn': nameOrNone,
  'expired.lead': nameOrNone,
  'used.lead': nameOrNone,
  askForNewLink: nameOrNone,
  'cancelled.lead': nameOrNone,
  'cancelled.unexpectedLead': nameOrNone,
  'failed.title': nameOrNone,
  'failed.giveUp': nameOrNone,
  'refused.invalid_link.lead': nameOrNone,
  'refused.user_inactive.lead': nameOrNone,
  'refused.unauthorized_origin.lead': nameOrNone,
  'refused.other_browser.lead': nameOrNone,
  'refused.opened_elsewhere.lead': nameOrNone,
  'refused.cookies_blocked.lead': nameOrNone,
  'refused.too_many_requests.lead': nameOrNone,
  'refused.connector_gone.lead': nameOrNone,
  'refused.unavailable.lead': nameOrNone,
  'refused.organization_moving.lead': nameOrNone,
  'refused.wrong_cell.lead': nameOrNone,
  'refused.organization_suspended.lead': nameOrNone,
  'refused.sign_in_invalid.lead': nameOrNone,
  'refused.sign_in_not_allowed.lead': nameOrNone,
  'refused.sign_in_unmatched.lead': nameOrNone,
  'refused.sign_in_email_unverified.lead': nameOrNone,
  'refused.sign_in_denied.lead': nameOrNone,
  'refused.sign_in_failed.lead': nameOrNone,
  'refused.approval_invalid.lead': nameOrNone,
  'refused.approval_of_another_user.lead': nameOrNone,
  'signIn.title': [[A, B]],
  'signIn.lead': [[A, B]],
}

/** Names that a sentence receives but does not contain, in any language. */
const OMITTED_NAMES: Record<string, string[]> = {
  'apiKey.problem.fields_missing': [A],
  'apiKey.problem.format_unfit': [A],
  'apiKey.problem.nothing_entered': [A],
  'apiKey.problem.private_key_not_a_key': [A],
  'apiKey.problem.private_key_encrypted': [A],
  'apiKey.problem.private_key_public_key': [A],
  'apiKey.problem.private_key_certificate': [A],
  'apiKey.problem.private_key_too_small': [A],
  'apiKey.problem.private_key_too_large': [A],
  'apiKey.problem.certificate_not_a_certificate': [A],
  'apiKey.problem.certificate_private_key': [A],
  'apiKey.problem.certificate_wrong_key': [A],
  'apiKey.problem.certificate_expired': [A],
  'apiKey.problem.certificate_not_yet_valid': [A],
  'returning.title.success': [B],
  'returning.title.exit': [B],
  'returning.title.error': [A],
  'returning.lead.exit': [A],
  'expired.lead': [A],
  'failed.reason.invalid_state': [A],
  'failed.reason.session_expired': [A],
  'failed.reason.internal': [A],
  'refused.invalid_link.lead': [A],
  'refused.other_browser.lead': [A],
  'refused.cookies_blocked.lead': [A],
  'refused.too_many_requests.lead': [A],
  'refused.unavailable.lead': [A],
  'refused.organization_moving.lead': [A],
  'refused.wrong_cell.lead': [A],
  'refused.sign_in_invalid.lead': [A],
  'refused.approval_invalid.lead': [A],
}

/** Texts that equal the English ones. */
const SAME_AS_ENGLISH: Partial<Record<LinkLanguage, string[]>> = {
  de: ['picker.apps', 'apiKey.optional', 'connections.status', 'signIn.tools'],
  fr: ['picker.categories.communication'],
  'pt-BR': ['picker.apps'],
}

type SentenceCall = { path: string; call: string; given: string[]; sentence: Sentence }

/** Every sentence of a catalog, with each function called in all ways that its type allows. */
function everySentence(value: unknown, path: string[] = []): SentenceCall[] {
  const name = path.join('.')
  if (typeof value === 'function') {
    const calls = name in CALLS ? CALLS[name as keyof typeof CALLS] : [[A]]
    return calls.map(given => ({
      path: name,
      call: `${name}(${given.join(', ')})`,
      given: given.filter(one => one !== null).map(String),
      sentence: value(...given),
    }))
  }
  if (typeof value !== 'object' || value === null) return []
  if ('texts' in value) return [{ path: name, call: name, given: [], sentence: value as Sentence }]
  return Object.entries(value).flatMap(([key, inner]) => everySentence(inner, [...path, key]))
}

const sentencesByLanguage = new Map(
  linkLanguages.map(language => [language, everySentence(wordsIn(language))]),
)
const sentencesIn = (language: LinkLanguage): SentenceCall[] => sentencesByLanguage.get(language) ?? []

const withGaps = ({ texts }: Sentence): string => texts.join('{}')
const withMarkers = ({ texts, names }: Sentence): string =>
  texts.map((text, i) => text + (names[i] ?? '')).join('')

/** Checks all sentences at once, so that a failure shows every wrong one. */
function none(sentences: SentenceCall[], isWrong: (call: SentenceCall) => boolean, why: string): void {
  assert.deepEqual(
    sentences.filter(isWrong).map(({ call, sentence }) => `${call}: ${withMarkers(sentence)}`),
    [],
    why,
  )
}

describe('the catalogs', () => {
  test('are found by their language and contain its own name', () => {
    assert.deepEqual(Object.keys(catalogs), [...linkLanguages])
    assert.deepEqual(
      linkLanguages.map(language => wordsIn(language)).map(words => [words.language, words.languageName]),
      [
        ['en', 'English'],
        ['de', 'Deutsch'],
        ['fr', 'Français'],
        ['es', 'Español'],
        ['pt-BR', 'Português (Brasil)'],
        ['ja', '日本語'],
        ['ar', 'العربية'],
      ],
    )
    assert.deepEqual(
      linkLanguages.filter(language => wordsIn(language).direction === 'rtl'),
      ['ar'],
    )
  })

  const english = new Map(sentencesIn('en').map(one => [one.call, one]))

  for (const language of linkLanguages) {
    const sentences = sentencesIn(language)

    describe(language, () => {
      test('has every sentence, none empty or with surrounding spaces', () => {
        assert.deepEqual(
          sentences.map(({ call }) => call).toSorted(),
          [...english.keys()].toSorted(),
          'the same sentences as in English',
        )
        assert.ok(sentences.length > 130)
        none(sentences, ({ sentence }) => !/\p{L}/u.test(sentence.texts.join('')), 'contains text')
        none(
          sentences,
          ({ sentence }) => /^\s|\s$|\s\s/.test(withMarkers(sentence)),
          'no surrounding or double spaces',
        )
        none(
          sentences,
          ({ sentence }) => sentence.texts.length !== sentence.names.length + 1,
          'a name in every gap',
        )
        assert.match(wordsIn(language).someService, /^\p{L}.*\p{L}$/u)
      })

      test('contains every given name and no other', () => {
        for (const { path, call, given, sentence } of sentences) {
          const expected = given.filter(name => !OMITTED_NAMES[path]?.includes(name))
          assert.deepEqual([...new Set(sentence.names)].toSorted(), expected.toSorted(), call)
        }
      })

      if (language !== 'en')
        test('is translated', () => {
          const same = sentences.filter(({ call, sentence }) => {
            const original = english.get(call)
            return original !== undefined && withGaps(original.sentence) === withGaps(sentence)
          })
          assert.deepEqual(
            same.map(({ call }) => call),
            SAME_AS_ENGLISH[language] ?? [],
          )
          assert.notEqual(wordsIn(language).someService, catalogs.en.someService)
        })

      test('ends sentences like English, with its own punctuation', () => {
        const own: Record<string, string> = {
          '.': language === 'ja' ? '。' : '.',
          '?': { ja: '？', ar: '؟' }[language as string] ?? '?',
          '…': '…',
        }
        const end = (text: string): string => /[\p{P}]$/u.exec(text)?.[0] ?? ''
        none(
          sentences,
          ({ call, sentence }) => {
            const original = end(english.get(call)?.sentence.texts.at(-1) ?? '')
            return end(sentence.texts.at(-1) ?? '') !== (own[original] ?? original)
          },
          'ends as in English',
        )
      })

      test('has neither exclamation marks nor typewriter punctuation', () => {
        none(sentences, ({ sentence }) => /[!！¡]/.test(withGaps(sentence)), 'no exclamation mark')
        none(sentences, ({ sentence }) => /['"`]|\.\.|--/.test(withGaps(sentence)), 'typographic punctuation')
        none(sentences, ({ sentence }) => /[<>&]/.test(withGaps(sentence)), 'no markup')
      })

      test('uses its own punctuation', () => {
        const wrong = FOREIGN_PUNCTUATION[language]
        none(sentences, ({ sentence }) => wrong.test(withGaps(sentence)), String(wrong))
      })

      test('stays correct with any first and last character of a name', () => {
        const { before, after } = TIED_TO_A_NAME[language]
        none(
          sentences,
          ({ sentence: { texts, names } }) =>
            names.some((_, i) => {
              // A quotation mark may be adjacent to the quoted name.
              const left = (texts[i] ?? '').replace(/[“„«「]\u00a0?$/, '')
              return before.test(left) || after.test(texts[i + 1] ?? '')
            }),
          'no text next to a name depends on it',
        )
      })
    })
  }

  const NEVER = /(?!)/

  const FOREIGN_PUNCTUATION: Record<LinkLanguage, RegExp> = {
    en: NEVER,
    de: /“.*”|(^|\s)-\s/,
    fr: /[^\u00a0\u202f][?:;»]|«[^\u00a0\u202f]/,
    // An opening question mark for every closing one.
    es: /^[^¿]*\?|¿[^?]*$/,
    'pt-BR': NEVER,
    ja: /[,.?;:]|[。、？] /,
    ar: /[,?;]|\s[،؟؛.]/,
  }

  /** Inflections, articles, elisions and ligatures that fit only some names. In Japanese, a space next to a name is wrong. */
  const TIED_TO_A_NAME: Record<LinkLanguage, { before: RegExp; after: RegExp }> = {
    en: { before: /\ban? $|\S$/i, after: /^[a-z]/i },
    de: { before: /(^|\s)(der|die|das|dem|den|des|am|im|zum|zur|vom|beim) $|\S$/i, after: /^[a-z-]/i },
    fr: {
      before: /(^|\s)(de|du|des|que|le|la|les|au|aux|lorsque|puisque|jusque) $|\S$/i,
      after: /^\p{L}/u,
    },
    es: { before: /(^|\s)(el|la|los|las|del|al|y|e|o|u) $|\S$/i, after: /^\p{L}/u },
    'pt-BR': {
      before: /(^|\s)(o|a|os|as|do|da|dos|das|no|na|ao|à|pelo|pela) $|\S$/i,
      after: /^\p{L}/u,
    },
    ja: { before: /\s$/, after: /^\s/ },
    ar: { before: /\S$/, after: /^\p{L}/u },
  }

  test('use a first name only in languages where it comes first', () => {
    assert.deepEqual(
      linkLanguages.map(language => [language, ...wordsIn(language).notExpected('Ana Ruiz').names]),
      [
        ['en', 'Ana'],
        ['de', 'Ana'],
        ['fr', 'Ana'],
        ['es', 'Ana'],
        ['pt-BR', 'Ana'],
        ['ja', 'Ana Ruiz'],
        ['ar', 'Ana Ruiz'],
      ],
    )
  })

  test('use the plural forms of the language', () => {
    const counted = (language: LinkLanguage, counts: number[]): string[] =>
      counts.map(count => withMarkers(wordsIn(language).picker.search(count)))
    assert.deepEqual(counted('de', [1, 2]), ['1 App durchsuchen', '2 Apps durchsuchen'])
    assert.deepEqual(counted('fr', [1, 2]), [
      'Rechercher dans 1 application',
      'Rechercher parmi 2 applications',
    ])
    assert.deepEqual(counted('es', [1, 2]), ['Buscar en 1 aplicación', 'Buscar entre 2 aplicaciones'])
    assert.deepEqual(counted('pt-BR', [1, 2]), ['Buscar em 1 app', 'Buscar em 2 apps'])
    assert.deepEqual(counted('ja', [1]), ['1個のアプリから検索'])
    assert.deepEqual(counted('ar', [1, 2, 3, 11, 100]), [
      'البحث في تطبيق واحد',
      'البحث في تطبيقين',
      'البحث في 3 تطبيقات',
      'البحث في 11 تطبيقًا',
      'البحث في 100 تطبيق',
    ])
  })
})

describe('the pseudo-locale', () => {
  const original = sentencesIn('en')
  const disguised = everySentence(pseudo(catalogs.en))

  test('replaces every text of every sentence but not names', () => {
    assert.deepEqual(
      disguised.map(({ call }) => call),
      original.map(({ call }) => call),
    )
    none(disguised, ({ sentence }) => /[a-z]/i.test(sentence.texts.join('')), 'no plain letter')
    none(
      disguised,
      ({ sentence }) => sentence.texts.some(text => text !== '' && !/^⟦[^⟦⟧]+⟧$/.test(text)),
      'bracketed',
    )
    assert.deepEqual(
      disguised.map(({ sentence }) => sentence.names),
      original.map(({ sentence }) => sentence.names),
    )
    assert.match(pseudo(catalogs.en).someService, /^⟦[^a-z]+⟧$/i)
  })

  test('keeps machine-readable fields and stays readable', () => {
    const { language, direction, languageName, cancel } = pseudo(catalogs.en)
    assert.deepEqual([language, direction, languageName], ['en', 'ltr', 'English'])
    assert.equal(cancel.texts.join('').replace(/(.)\1/gu, '$1'), '⟦Çåñçéļ⟧')
  })

  test('is 30 to 40 percent longer, without unbreakable words', () => {
    const letters = (sentences: SentenceCall[]): number =>
      sentences.reduce((sum, { sentence }) => sum + sentence.texts.join('').replace(/[⟦⟧]/g, '').length, 0)
    const growth = letters(disguised) / letters(original)
    assert.ok(growth >= 1.3 && growth <= 1.4, String(growth))
    none(disguised, ({ sentence }) => /[^\s]{24}/.test(sentence.texts.join('')), 'words stay words')
  })

  test('works from any language', () => {
    for (const language of linkLanguages) {
      none(
        everySentence(pseudo(catalogs[language])),
        ({ sentence }) => /[a-z]/i.test(sentence.texts.join('')),
        language,
      )
    }
  })
})
