import ipaddr from 'ipaddr.js'

/** Azure's host channel: an ordinary unicast address that answers with the machine's own secrets. */
const AZURE_WIRE_SERVER = '168.63.129.16'

export type AddressVerdict = 'public' | 'loopback' | 'refused'

/** Only plain unicast may be dialled: not private, link-local, CGNAT, NAT64, 6to4, Teredo, metadata or reserved. */
export const judgeAddress = (address: string): AddressVerdict => {
  if (!ipaddr.isValid(address)) return 'refused'
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') return 'loopback'
  // RFC 4291 §2.5.5.1, given up: `::a.b.c.d` stands for an IPv4 address, and URLs write it as `::7f00:1`.
  if (parsed instanceof ipaddr.IPv6 && parsed.parts.slice(0, 6).every(part => part === 0)) return 'refused'
  return range === 'unicast' && parsed.toString() !== AZURE_WIRE_SERVER ? 'public' : 'refused'
}

/** No address has such a letter outside its brackets. To find out by trying costs an error with its stack, on every call. */
const IS_NAME = /^[^[:]*[g-wyz][^:]*$/i

/** The host of a URL as an address to judge, or null where it is a name. */
export const literalAddress = (hostname: string): string | null => {
  if (IS_NAME.test(hostname)) return null
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}
