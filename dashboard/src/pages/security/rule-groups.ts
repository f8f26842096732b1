import type { SecurityEntity } from '@carabiner/sdk'

export type RuleGroup = { title: string; entities: SecurityEntity[] }

const TITLES: Record<SecurityEntity['group'], string> = {
  secrets: 'Secrets',
  contact: 'Contact data',
  finance: 'Finance',
  network: 'Network, links and dates',
  identity: 'Identity numbers',
}
const ORDER = Object.keys(TITLES) as SecurityEntity['group'][]

const regions = new Intl.DisplayNames('en', { type: 'region' })

/** Entities by kind, and identity numbers by country. */
export const groupEntities = (entities: readonly SecurityEntity[]): RuleGroup[] =>
  ORDER.flatMap(group => {
    const inGroup = entities.filter(entity => entity.group === group)
    return [...Map.groupBy(inGroup, ({ country }) => country)].map(([country, ofCountry]) => ({
      title: country === null ? TITLES[group] : `${TITLES[group]}: ${regions.of(country)}`,
      entities: ofCountry,
    }))
  })
