import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorFile, LinkLanguage } from '@carabiner/contract'
import { nearestName } from '../../../core/nearest-name.ts'
import type { ConnectorLogo } from './connector-logo.ts'
import { loadLogos } from './load-logos.ts'
import { type Places, readConnector } from './read-connector.ts'
import { withStandIns } from './rules/connector-addresses.ts'
import { CatalogError, type LocatedProblem } from './rules/connector-problem.ts'
import { loadTranslations, type Translate, type Translations, translatorInto } from './translations.ts'

/** The folder of the shipped connectors. */
export const SHIPPED_FOLDER = join(import.meta.dirname, '../../../../../connectors')

/** `isOperatorFile`: from the operator's folder. `logoPath`: path of the logo on this service, if there is one. */
export type CatalogConnector = ConnectorFile & { isOperatorFile?: true; logoPath?: string }

export type Catalog = {
  find(slug: string): CatalogConnector | null
  all(): CatalogConnector[]
  /** The logo with this path. */
  findLogo(path: string): ConnectorLogo | null
  /** Translates texts of connector files. */
  translator(language: LinkLanguage): Translate
}

export type CatalogOptions = {
  /** Shipped connectors to offer. Default: all. */
  only?: string[]
  /** Development only: requests of connectors to an origin on the left go to the origin on the right. */
  standIns?: Record<string, string>
  /** Replaces the folder of shipped connectors, for benchmarks. */
  shippedFolder?: string
}

const SANDBOX_PREFIX = 'sandbox-'

type Source = { folder: string; shipped: boolean }
type Loaded = { connector: ConnectorFile; shipped: boolean }

/**
 * Reads all connector files at startup, and reports all problems in all of them. A file may contain `{sandbox_url}`,
 * which depends on the installation; without a value, its connector does not exist.
 */
export const loadCatalog = (
  places: Places,
  ownFolder?: string,
  { only, standIns, shippedFolder = SHIPPED_FOLDER }: CatalogOptions = {},
): Catalog => {
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
  if (problems.length > 0) throw new CatalogError(problems)
  const byPath = new Map<string, ConnectorLogo>()
  const connectors = new Map<string, CatalogConnector>()
  for (const [slug, { connector, shipped }] of loaded) {
    if (only && shipped && !only.includes(slug)) continue
    const logo = logos.of(slug, shipped || connector.replaces === true)
    if (logo) byPath.set(logo.path, logo)
    connectors.set(slug, {
      ...(standIns ? withStandIns(connector, standIns) : connector),
      ...(!shipped && { isOperatorFile: true }),
      ...(logo && { logoPath: logo.path }),
    })
  }
  // In development, the sandbox connectors come first.
  const ofSandbox = ({ slug }: CatalogConnector) => slug.startsWith(SANDBOX_PREFIX)
  const all = [...connectors.values()].toSorted((a, b) => Number(ofSandbox(b)) - Number(ofSandbox(a)))
  return {
    find: slug => connectors.get(slug) ?? null,
    all: () => all,
    findLogo: path => byPath.get(path) ?? null,
    translator: language => translatorInto(translations, language),
  }
}

const loadFolder = (source: Source, places: Places, loaded: Map<string, Loaded>): LocatedProblem[] =>
  connectorFiles(source.folder).flatMap(name => {
    const path = join(source.folder, name)
    const slug = name.slice(0, -'.json'.length)
    // The tests check shipped files against every rule.
    const read = readConnector(readFileSync(path, 'utf8'), path, { rules: !source.shipped, places, slug })
    if ('problems' in read) return read.problems
    if ('skipped' in read) return []
    const shadowed = loaded.get(slug)?.shipped === true
    if (shadowed && !read.connector.replaces) return [shadowing(path, slug)]
    loaded.set(slug, { connector: read.connector, shipped: source.shipped })
    return []
  })

/** Skips the JSON Schema of connector files, which may be in the same folder. */
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
  reason: `${slug} is already shipped. Choose another slug, or set "replaces": true`,
})

const unknownSlugs = (only: string[] | undefined, loaded: Map<string, Loaded>): LocatedProblem[] =>
  (only ?? [])
    .filter(slug => !loaded.has(slug))
    .map(slug => {
      const meant = nearestName(slug, [...loaded.keys()])
      const reason = slug.startsWith(SANDBOX_PREFIX)
        ? `${slug} needs the sandbox: development mode, and the package @carabiner/sandbox`
        : `there is no connector ${slug}${meant ? `; did you mean ${meant}?` : ''}`
      return { file: 'CONNECTORS', line: 1, column: 1, path: '', reason }
    })
