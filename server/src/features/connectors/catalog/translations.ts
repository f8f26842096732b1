import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LinkLanguage, linkLanguages } from '@carabiner/contract'
import { findDuplicates, locateProblems, MAX_BYTES, parseJson, syntaxProblem } from './read-connector.ts'
import type { LocatedProblem } from './rules/connector-problem.ts'
import { schemaProblems } from './rules/schema-problems.ts'

/** A text in the requested language, or the English original if it has no translation. */
export type TranslatedText = string | { english: string }
export type Translate = (text: string) => TranslatedText

/** Translations of the texts in connector files, keyed by language and then by the English text. */
export type Translations = Map<LinkLanguage, Map<string, string>>

/** The folder beside the connector files, with one `<language>.json` each. */
const FOLDER = 'translations'
const MAX_LENGTH = 500
const SCHEMA = {
  type: 'object',
  patternProperties: { '^.*$': { type: 'string', minLength: 1, maxLength: MAX_LENGTH } },
}

export const translatorInto = (translations: Translations, language: LinkLanguage): Translate => {
  if (language === 'en') return text => text
  const known = translations.get(language)
  return text => known?.get(text) ?? { english: text }
}

/** Adds the translations in a folder of connector files; they override entries from folders that were loaded before. */
export const loadTranslations = (folder: string, loaded: Translations): LocatedProblem[] =>
  translationFiles(folder).flatMap(file => {
    const read = readTranslations(readFileSync(file.path, 'utf8'), file)
    if ('problems' in read) return read.problems
    const { language, entries } = read
    loaded.set(language, new Map([...(loaded.get(language) ?? []), ...entries]))
    return []
  })

type TranslationFile = { path: string; name: string }

const translationFiles = (folder: string): TranslationFile[] => {
  const path = join(folder, FOLDER)
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter(name => name.endsWith('.json'))
    .toSorted()
    .map(name => ({ path: join(path, name), name: name.slice(0, -'.json'.length) }))
}

type ReadTranslations =
  | { language: LinkLanguage; entries: [string, string][] }
  | { problems: LocatedProblem[] }

const readTranslations = (text: string, { path, name }: TranslationFile): ReadTranslations => {
  const reject = (reason: string): ReadTranslations => ({
    problems: [{ file: path, line: 1, column: 1, path: '', reason }],
  })
  const translated = linkLanguages.filter(known => known !== 'en')
  const language = translated.find(known => known === name)
  if (!language) return reject(`must be named after one of the languages ${translated.join(', ')}`)
  if (text.length > MAX_BYTES) return reject('is larger than 2 MB')
  const value = parseJson(text)
  if (value === undefined) return { problems: [syntaxProblem(text, path)] }
  const problems = [...schemaProblems(SCHEMA, value), ...findDuplicates(text)]
  return problems.length > 0
    ? { problems: locateProblems(text, path, problems) }
    : { language, entries: Object.entries(value as Record<string, string>) }
}
