import ipaddr from 'ipaddr.js'

/** Azure's WireServer: a public unicast address that serves secrets of the virtual machine. */
const AZURE_WIRE_SERVER = '168.63.129.16'

export type AddressClass = 'public' | 'loopback' | 'refused'

/**
 * Only plain unicast addresses are public: not private, link-local, CGNAT, NAT64, 6to4, Teredo, metadata or reserved
 * ones.
 */
export const classifyAddress = (address: string): AddressClass => {
  if (!ipaddr.isValid(address)) return 'refused'
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') return 'loopback'
  // RFC 4291 §2.5.5.1 (deprecated): `::a.b.c.d` contains an IPv4 address, and URLs write it as `::7f00:1`.
  if (parsed instanceof ipaddr.IPv6 && parsed.parts.slice(0, 6).every(part => part === 0)) return 'refused'
  return range === 'unicast' && parsed.toString() !== AZURE_WIRE_SERVER ? 'public' : 'refused'
}

/**
 * A host with such a letter outside of brackets is a name. Parsing it as an address would throw on every call, which
 * is slow.
 */
const IS_NAME = /^[^[:]*[g-wyz][^:]*$/i

/** The host of a URL as an address to classify, or null if it is a name. */
export const literalAddress = (hostname: string): string | null => {
  if (IS_NAME.test(hostname)) return null
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}
