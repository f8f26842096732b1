import { type LinkTextKey, type LinkTexts, linkLanguages, linkTextKeys } from '@carabiner/contract'
import { wordsIn } from './index.ts'
import type { Sentence } from './sentence.ts'
import type { Words } from './words.ts'

const ORGANIZATION = '{organization}'
const CONNECTOR = '{connector}'

const SENTENCES: Record<LinkTextKey, (words: Words) => Sentence> = {
  'picker.title': words => words.picker.title,
  'picker.lead': words => words.picker.lead(ORGANIZATION),
  'consent.title': words => words.consent.title(CONNECTOR, ORGANIZATION),
  'consent.lead': words => words.asks(ORGANIZATION, CONNECTOR),
  'key.title': words => words.apiKey.title(CONNECTOR),
  'connected.title': words => words.connected.title(CONNECTOR),
  'connected.lead': words => words.connected.lead(ORGANIZATION),
  'expired.lead': words => words.expired.lead(ORGANIZATION),
}

const templateOf = ({ texts, names }: Sentence): string =>
  texts.map((text, n) => text + (names[n] ?? '')).join('')

const textsOf = (words: Words): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(linkTextKeys) as LinkTextKey[]).map(key => [key, templateOf(SENTENCES[key](words))]),
  )

/** The texts that apply as long as an organization has not replaced them, in the form in which it would. */
export const DEFAULT_TEXTS: LinkTexts = Object.fromEntries(
  linkLanguages.map(language => [language, textsOf(wordsIn(language))]),
)
