import { type ConnectorFile, type ConnectorSite, oauthMethod } from '@carabiner/contract'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { readName, readPointer, readText } from '../json-pointer.ts'
import { authorizationHeaders, type CallSecret } from './authorization-headers.ts'
import { fillAddress, isAddressPart } from './template.ts'

/** A site that the account can use. `value` becomes part of URLs; `title` and `detail` are shown to users. */
export type Site = { value: string; title: string; detail: string | null }
export type ListedSites = { kind: 'sites'; sites: Site[] } | { kind: 'unavailable' }

const MAX_RESPONSE_BYTES = 256 * 1024
/** The page shows every site, so the list is limited. */
export const MAX_SITES = 200

/** Requests the sites that the credential can be used with. Null if the connector has no sites. */
export const listSites = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CallSecret,
): Promise<ListedSites | null> => {
  const site = oauthMethod(connector)?.site
  if (!site) return null
  const url = fillAddress(site.url, secret.tenant)
  try {
    const response = await egress.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json', ...authorizationHeaders(connector, secret, url) },
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
  const pattern = new RegExp(`^(?:${site.pattern})$`, 'u')
  const sites = new Map<string, Site>()
  for (const entry of list) {
    const value = readText(entry, site.value) ?? ''
    if (!pattern.test(value) || !isAddressPart(value) || sites.has(value)) continue
    const title = readName(entry, site.title) ?? value
    const detail = site.detail === undefined ? null : readName(entry, site.detail)
    sites.set(value, { value, title, detail })
  }
  return { kind: 'sites', sites: [...sites.values()].slice(0, MAX_SITES) }
}
