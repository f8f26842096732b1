// mcp-hub asks a public registry what it could offer as soon as it starts. The bench speaks to this machine alone.
const ask = globalThis.fetch

globalThis.fetch = (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : String(input))
  if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    return Promise.reject(new TypeError(`${hostname} is not on this machine`))
  return ask(input, init)
}
