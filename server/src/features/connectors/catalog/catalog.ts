import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorFile, LinkLanguage } from '@carabiner/contract'
import { withStandIns } from './connector-addresses.ts'
import type { ConnectorLogo } from './connector-logo.ts'
import { CatalogueError, type LocatedProblem } from './connector-problem.ts'
import { inputSchemaFormProblems } from './input-schema-rules.ts'
import { loadLogos } from './load-logos.ts'
import { nearestName } from './nearest-name.ts'
import { type Places, readConnector } from './read-connector.ts'
import { loadTranslations, type Translate, type Translations, translatorInto } from './translations.ts'

/** The connectors that are shipped. */
export const SHIPPED_FOLDER = join(import.meta.dirname, '../../../../../connectors')

/** `logoPath`: the path of its logo on this service, if it has one. */
export type CatalogueConnector = ConnectorFile & { logoPath?: string }

export type Catalogue = {
  find(slug: string): CatalogueConnector | null
  all(): CatalogueConnector[]
  /** The logo with this path. */
  findLogo(path: string): ConnectorLogo | null
  /** Translates texts of connector files. */
  translator(language: LinkLanguage): Translate
}

export type CatalogueOptions = {
  /** Of those that are shipped, offer these and no others. */
  only?: string[]
  /** Development only: what a shipped file sends to an origin on the left goes to the one on its right. */
  standIns?: Record<string, string>
  /** Another folder than the one that is shipped: for benchmarks. */
  shippedFolder?: string
}

type Source = { folder: string; shipped: boolean }
type Loaded = { connector: ConnectorFile; shipped: boolean }

/**
 * Reads every connector file once, at the start, and tells every mistake in all of them. A file may name
 * `{sandbox_url}`, which depends on the installation; where that has no value, its connector does not exist here.
 */
export const loadCatalogue = (
  places: Places,
  ownFolder?: string,
  { only, standIns, shippedFolder = SHIPPED_FOLDER }: CatalogueOptions = {},
): Catalogue => {
  const problems: LocatedProblem[] = []
  const loaded = new Map<string, Loaded>()
  const sources: Source[] = [{ folder: shippedFolder, shipped: true }]
  if (ownFolder !== undefined) sources.push({ folder: ownFolder, shipped: false })
  const translations: Translations = new Map()
  for (const source of sources) {
    problems.push(...loadFolder(source, places, loaded))
    problems.push(...loadTranslations(source.folder, translations))
  }
  const logos = loadLogos(shippedFolder, ownFolder)
  problems.push(...unknownSlugs(only, loaded), ...logos.problems)
  if (problems.length > 0) throw new CatalogueError(problems)
  const byPath = new Map<string, ConnectorLogo>()
  const connectors = new Map<string, CatalogueConnector>()
  for (const [slug, { connector, shipped }] of loaded) {
    if (only && shipped && !only.includes(slug)) continue
    const logo = logos.of(slug, shipped || connector.replaces === true)
    if (logo) byPath.set(logo.path, logo)
    connectors.set(slug, {
      ...(standIns && shipped ? withStandIns(connector, standIns) : connector),
      ...(logo && { logoPath: logo.path }),
    })
  }
  // In development, what can be tried at once comes first.
  const ofSandbox = ({ slug }: CatalogueConnector) => slug.startsWith('sandbox-')
  const all = [...connectors.values()].toSorted((a, b) => Number(ofSandbox(b)) - Number(ofSandbox(a)))
  return {
    find: slug => connectors.get(slug) ?? null,
    all: () => all,
    findLogo: path => byPath.get(path) ?? null,
    translator: language => translatorInto(translations, language),
  }
}

/** The tests judge every shipped file by every rule; an operator's file is judged here. */
const PROVEN = { rules: false }
const JUDGED = { rules: true, slowRules: inputSchemaFormProblems }

const loadFolder = (source: Source, places: Places, loaded: Map<string, Loaded>): LocatedProblem[] =>
  connectorFiles(source.folder).flatMap(name => {
    const path = join(source.folder, name)
    const slug = name.slice(0, -'.json'.length)
    const judged = source.shipped ? PROVEN : JUDGED
    const read = readConnector(readFileSync(path, 'utf8'), path, { ...judged, places, slug })
    if ('problems' in read) return read.problems
    if ('skipped' in read) return []
    const shadowed = loaded.get(slug)?.shipped === true
    if (shadowed && !read.connector.replaces) return [shadowing(path, slug)]
    loaded.set(slug, { connector: read.connector, shipped: source.shipped })
    return []
  })

/** The JSON Schema of connector files may stand beside them. */
export const connectorFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'))
    .map(name => name.slice(0, -'.json'.length))
    .toSorted()
    .map(slug => `${slug}.json`)

export const shadowing = (file: string, slug: string): LocatedProblem => ({
  file,
  line: 1,
  column: 1,
  path: 'slug',
  reason: `${slug} is shipped already. Choose another slug, or say "replaces": true`,
})

const unknownSlugs = (only: string[] | undefined, loaded: Map<string, Loaded>): LocatedProblem[] =>
  (only ?? [])
    .filter(slug => !loaded.has(slug))
    .map(slug => {
      const meant = nearestName(slug, [...loaded.keys()])
      const reason = `there is no connector ${slug}${meant ? `; did you mean ${meant}?` : ''}`
      return { file: 'CONNECTORS', line: 1, column: 1, path: '', reason }
    })
