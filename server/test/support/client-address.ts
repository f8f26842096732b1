let addresses = 0

/** A unique client address, from the benchmarking range of RFC 2544. Pages and sign-ins are limited per address. */
export const newAddress = (): string => {
  addresses++
  return `198.18.${addresses >> 8}.${addresses & 255}`
}
