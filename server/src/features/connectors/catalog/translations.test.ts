import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ConnectorField, type ConnectorFile, isFormMethod, linkLanguages } from '@carabiner/contract'
import { loadCatalog, SHIPPED_FOLDER } from './catalog.ts'
import { checkConnectors } from './check-connectors.ts'
import { CatalogError } from './rules/connector-problem.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-translations-'))
after(() => rmSync(folder, { recursive: true }))

const withTranslations = (files: Record<string, string>): string => {
  const own = mkdtempSync(join(folder, 'own-'))
  mkdirSync(join(own, 'translations'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(own, 'translations', name), text)
  return own
}

/** Every text that the picker, the consent page and the key form show from a connector file. */
const shownTexts = ({
  summary,
  tenant = [],
  authorization,
  tools,
}: ConnectorFile): (string | undefined)[] => {
  const ofField = ({ label, hint, choices = [] }: ConnectorField) => [
    label,
    hint,
    ...choices.map(choice => choice.label),
  ]
  return [
    summary,
    ...tenant.flatMap(ofField),
    ...authorization.flatMap(method =>
      method.type === 'oauth2'
        ? method.scopes.flatMap(({ title, detail }) => [title, detail])
        : isFormMethod(method)
          ? [...(method.steps ?? []), ...method.fields.flatMap(ofField)]
          : [],
    ),
    ...tools.flatMap(({ title, preview = [] }) => [
      title,
      ...preview.flatMap(({ fields }) => fields.map(({ label }) => label)),
    ]),
  ]
}

test('translations: every shipped language has every text of the shipped connectors and no other', () => {
  const connectors = loadCatalog({ sandbox_url: 'http://localhost:4001' }).all()
  const shown = new Set(connectors.flatMap(shownTexts).filter(text => text !== undefined))
  for (const language of linkLanguages.filter(known => known !== 'en')) {
    const text = readFileSync(join(SHIPPED_FOLDER, 'translations', `${language}.json`), 'utf8')
    const keys = new Set(Object.keys(JSON.parse(text) as Record<string, string>))
    assert.deepEqual(
      [...shown].filter(one => !keys.has(one)),
      [],
      `missing in ${language}.json`,
    )
    assert.deepEqual(
      [...keys].filter(key => !shown.has(key)),
      [],
      `unused in ${language}.json`,
    )
  }
})

test('translations: an operator’s entries override shipped ones, and other texts stay as they are', () => {
  const own = withTranslations({ 'de.json': '{ "API key": "Zugangsschlüssel", "Parts": "Teile" }' })
  const catalog = loadCatalog({}, own)
  const translate = catalog.translator('de')
  assert.equal(translate('Parts'), 'Teile')
  assert.equal(translate('API key'), 'Zugangsschlüssel')
  assert.equal(loadCatalog({}).translator('de')('API key'), 'API‑Schlüssel')
  assert.deepEqual(translate('No such text'), { english: 'No such text' })
  assert.deepEqual(translate('constructor'), { english: 'constructor' })
  assert.deepEqual(catalog.translator('fr')('Parts'), { english: 'Parts' })
  assert.equal(catalog.translator('en')('Parts'), 'Parts')
})

test('translations: mistakes in a file are reported with their position, at the start and by the check', () => {
  const own = withTranslations({
    'ar.json': '{ "A": ',
    'de.json': '{\n  "A": 1,\n  "B": "",\n  "C": "c",\n  "C": "d"\n}',
    'en.json': '{}',
    'fr.json': JSON.stringify({ A: 'a'.repeat(501) }),
  })
  const { problems } = checkConnectors([own])
  assert.deepEqual(
    problems.map(({ file, line, path }) => [file.slice(-'xx.json'.length), line, path]),
    [
      ['ar.json', 1, ''],
      ['de.json', 2, 'A'],
      ['de.json', 3, 'B'],
      ['de.json', 5, 'C'],
      ['en.json', 1, ''],
      ['fr.json', 1, 'A'],
    ],
  )
  assert.throws(
    () => loadCatalog({}, own),
    (error: unknown) => error instanceof CatalogError && error.problems.length === problems.length,
  )
})
