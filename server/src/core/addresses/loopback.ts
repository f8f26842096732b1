/** Whether an address of a listener or a peer belongs to this machine. For the host of a URL, see `isLoopbackHost` of the contract. */
export const isLoopbackAddress = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address)
