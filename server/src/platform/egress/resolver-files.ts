import { isIP } from 'node:net'

/** hosts(5): an address and its names per line. A name may have several addresses. */
export const readHosts = (text: string): Map<string, string[]> => {
  const hosts = new Map<string, string[]>()
  for (const [address = '', ...names] of fieldsOf(text)) {
    if (isIP(address) === 0) continue
    for (const name of names.map(one => one.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  return hosts
}

/** resolv.conf(5): the last of `search` and `domain` counts. */
export const readSearchDomains = (text: string): string[] =>
  fieldsOf(text)
    .filter(([keyword]) => keyword === 'search' || keyword === 'domain')
    .at(-1)
    ?.slice(1)
    .map(domain => domain.toLowerCase().replace(/^\.+|\.+$/g, ''))
    .filter(Boolean) ?? []

const fieldsOf = (text: string): string[][] =>
  text
    .split('\n')
    .map(line => line.replace(/[#;].*$/, '').trim())
    .filter(Boolean)
    .map(line => line.split(/\s+/))
