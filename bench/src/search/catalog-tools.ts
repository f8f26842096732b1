import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorFile } from '@carabiner/contract'
import { connectorFiles, SHIPPED_FOLDER } from '../../../server/src/features/connectors/catalog/catalog.ts'
import {
  askToLink,
  type ListedTool,
  shippedTools,
} from '../../../server/src/features/tools/listing/listed-tool.ts'

import type { SearchedConnectors } from '../../../server/src/features/tools/search/find-tools.ts'

/** A pack for the search: its tools, and what is known of its connectors. */
export type SearchedPack = SearchedConnectors & { tools: ListedTool[] }

/** Every tool of every shipped connector, as the default pack lists them. */
export const shippedPack = (): SearchedPack => {
  const connectors = new Map(
    connectorFiles(SHIPPED_FOLDER)
      .map(file => JSON.parse(readFileSync(join(SHIPPED_FOLDER, file), 'utf8')) as ConnectorFile)
      .map(connector => [connector.slug, connector]),
  )
  const tools = [...connectors.values()].flatMap(connector =>
    connector.mcp ? [askToLink(connector)] : shippedTools(connector).map(({ listed }) => listed),
  )
  return {
    tools: tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    namesOf: slug => {
      const { name = '', keywords = [] } = connectors.get(slug) ?? {}
      return { name, keywords }
    },
    isLinked: () => false,
  }
}

const DOMAINS: Record<string, string[]> = {
  weather: ['forecast', 'station', 'warning', 'observation'],
  music: ['playlist', 'track', 'album', 'artist'],
  recipes: ['recipe', 'ingredient', 'shopping list', 'meal plan'],
  shipping: ['parcel', 'pickup', 'rate', 'customs form'],
  'smart-home': ['lamp', 'thermostat', 'scene', 'door lock'],
  fleet: ['vehicle', 'driver', 'route', 'fuel card'],
  clinic: ['patient visit', 'prescription', 'lab test', 'referral'],
  library: ['loan', 'book', 'reservation', 'shelf'],
  warehouse: ['pallet', 'bin location', 'shipment', 'stock count'],
  travel: ['flight', 'hotel', 'rental car', 'itinerary'],
  'real-estate': ['listing', 'viewing', 'mortgage', 'tenant'],
  school: ['course', 'grade', 'homework', 'classroom'],
  energy: ['meter', 'tariff', 'solar panel', 'consumption'],
}
const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'share']

/** Fills a pack with tools of other domains, which differ from the shipped ones in their objects. */
export const padPack = (pack: SearchedPack, count: number): SearchedPack => {
  const invented = Object.entries(DOMAINS).flatMap(([slug, objects]) =>
    objects.flatMap(object => VERBS.map(verb => inventTool(slug, verb, object))),
  )
  return { ...pack, tools: [...pack.tools, ...invented].slice(0, count) }
}

const inventTool = (slug: string, verb: string, object: string): ListedTool => ({
  name: `${slug}__${verb}_${object.replaceAll(' ', '_')}`,
  title: `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${object}`,
  description: `Use it to ${verb} a ${object} of the connected account. Returns its name, status, owner and the time of the last change.`,
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: `ID of the ${object}.` },
      query: { type: 'string', description: 'Words to look for.' },
      limit: { type: 'integer', description: 'How many to return on one page.', minimum: 1, maximum: 100 },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: verb === 'list' || verb === 'get' || verb === 'search' },
})
