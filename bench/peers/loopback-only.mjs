// mcp-hub queries a public registry when it starts. The bench must not use the network, so requests to other hosts are rejected.
const originalFetch = globalThis.fetch

globalThis.fetch = (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : String(input))
  if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    return Promise.reject(new TypeError(`${hostname} is not a loopback address`))
  return originalFetch(input, init)
}
