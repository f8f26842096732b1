import * as simpleIcons from 'simple-icons'
import { type Mark, markName } from '../server/src/features/connectors/catalog/connector-logo.ts'

type Icon = { slug: string; hex: string; path: string }

const isIcon = (value: object): value is Icon => 'slug' in value && 'hex' in value && 'path' in value

/** Content of `connectors/logos/marks.json`: the logos of all connectors that `simple-icons` contains. */
export const makeConnectorLogos = (connectorSlugs: string[]): string => {
  const icons = new Map<string, Icon>()
  for (const icon of Object.values<object>(simpleIcons)) if (isIcon(icon)) icons.set(icon.slug, icon)
  const marks: Record<string, Mark> = {}
  for (const name of new Set(connectorSlugs.map(markName).toSorted())) {
    const icon = icons.get(name.replaceAll('-', ''))
    if (icon) marks[name] = { color: `#${icon.hex.toLowerCase()}`, path: icon.path }
  }
  return `${JSON.stringify(marks, null, 2)}\n`
}
