import ipaddr from 'ipaddr.js'

/** RFC 6177: a subscriber has at least a /64 of IPv6, so all addresses of a /64 share one allowance. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}
