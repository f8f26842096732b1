import { type ConnectorFile, type ConnectorSite, oauthMethod } from '@carabiner/contract'
import { readPointer } from '../../../core/json/json-pointer.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { authorizeRequest, type CredentialSecret } from '../authorization-kinds/authorization-kinds.ts'
import { readName, readText } from '../read-by-pointer.ts'
import { addressValue } from '../templates/address-value.ts'
import { fillAddress } from '../templates/template.ts'

/** A site that the account can use. `sets` become part of URLs; `title` and `detail` are shown to users. */
export type Site = { value: string; title: string; detail: string | null; sets: Record<string, string> }
export type ListedSites = { kind: 'sites'; sites: Site[] } | { kind: 'unavailable' }

const MAX_RESPONSE_BYTES = 256 * 1024
/** The page shows every site, so the list is limited. */
export const MAX_SITES = 200

/** Requests the sites that the credential can be used with. Null if the connector has no sites. */
export const listSites = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CredentialSecret,
): Promise<ListedSites | null> => {
  const site = oauthMethod(connector)?.site
  if (!site) return null
  const url = fillAddress(site.url, secret.tenant)
  try {
    const headers = { accept: 'application/json' }
    const request = authorizeRequest(connector, secret, { url, method: 'GET', headers, body: null })
    const response = await egress.request({
      url,
      method: 'GET',
      headers: request.headers,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    if (response.status < 200 || response.status > 299) return { kind: 'unavailable' }
    return readSites(site, JSON.parse(response.body.toString('utf8')))
  } catch (error) {
    if (error instanceof EgressError || error instanceof SyntaxError) return { kind: 'unavailable' }
    throw error
  }
}

/**
 * Providers may list a site once per product, so duplicates are dropped. Entries whose value does not match the
 * pattern are skipped.
 */
export const readSites = (site: ConnectorSite, response: unknown): ListedSites => {
  const list = readPointer(response, site.list)
  if (!Array.isArray(list)) return { kind: 'unavailable' }
  const sites = new Map<string, Site>()
  for (const entry of list) {
    const value = addressValue(readText(entry, site.value), site.pattern)
    if (value === null || sites.has(value)) continue
    const sets = readSets(site, entry, value)
    if (!sets) continue
    const title = readName(entry, site.title) ?? value
    const detail = site.detail === undefined ? null : readName(entry, site.detail)
    sites.set(value, { value, title, detail, sets })
  }
  return { kind: 'sites', sites: [...sites.values()].slice(0, MAX_SITES) }
}

/** All values that the site sets; null if one of them does not match its pattern. */
const readSets = (site: ConnectorSite, entry: unknown, value: string): Record<string, string> | null => {
  const values: [string, string][] = [[site.name, value]]
  for (const { name, at, pattern } of site.sets ?? []) {
    const found = addressValue(readText(entry, at), pattern)
    if (found === null) return null
    values.push([name, found])
  }
  return Object.fromEntries(values)
}
