import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConnectorFile } from '@carabiner/contract'
import { Value } from 'typebox/value'

const FOLDER = join(import.meta.dirname, '../../../../connectors')

export type Catalogue = { find(slug: string): ConnectorFile | null; all(): ConnectorFile[] }

/**
 * Reads every connector file once, at the start. A file may name a place that depends on the installation, such as
 * `{sandbox_url}`; where that has no value, its connector does not exist here.
 */
export const loadCatalogue = (places: Record<string, string>, ownFolder?: string): Catalogue => {
  const connectors = new Map<string, ConnectorFile>()
  for (const { folder, name } of [FOLDER, ...(ownFolder ? [ownFolder] : [])].flatMap(filesIn)) {
    const text = fillPlaces(readFileSync(join(folder, name), 'utf8'), places)
    if (text === null) continue
    const connector = parseConnector(text, name)
    if (`${connector.slug}.json` !== name)
      throw new Error(`connector file ${name} says it is ${connector.slug}`)
    connectors.set(connector.slug, connector)
  }
  return { find: slug => connectors.get(slug) ?? null, all: () => [...connectors.values()] }
}

const filesIn = (folder: string): { folder: string; name: string }[] =>
  readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .toSorted()
    .map(name => ({ folder, name }))

export const parseConnector = (text: string, name: string): ConnectorFile => {
  const value: unknown = JSON.parse(text)
  if (Value.Check(ConnectorFile, value)) return value
  const [first] = Value.Errors(ConnectorFile, value)
  throw new Error(`connector file ${name}: ${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`)
}

const fillPlaces = (text: string, places: Record<string, string>): string | null => {
  const wanted = [...text.matchAll(/\{([a-z]+_url)\}/g)].map(match => match[1] as string)
  if (wanted.some(place => places[place] === undefined)) return null
  return text.replace(/\{([a-z]+_url)\}/g, (_, place: string) => places[place] as string)
}
