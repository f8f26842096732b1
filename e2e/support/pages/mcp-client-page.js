import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** An MCP client that runs in a page. The hash of its URL is the address of the MCP endpoint. */
const parameters = new URLSearchParams(location.search)
const address = (sessionStorage.address ??= location.hash.slice(1))
const redirectUrl = `${location.origin}${location.pathname}`
const stored = name => (sessionStorage[name] ? JSON.parse(sessionStorage[name]) : undefined)
const store = name => value => {
  sessionStorage[name] = JSON.stringify(value)
}

const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Web playground', redirect_uris: [redirectUrl] },
  clientInformation: () => stored('client'),
  saveClientInformation: store('client'),
  tokens: () => stored('tokens'),
  saveTokens: store('tokens'),
  codeVerifier: () => stored('verifier'),
  saveCodeVerifier: store('verifier'),
  redirectToAuthorization: url => location.assign(url),
}

const newTransport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider })

const show = (heading, items = []) => {
  document.querySelector('h1').textContent = heading
  for (const item of items)
    document.querySelector('ul').appendChild(document.createElement('li')).textContent = item
}

const start = async () => {
  if (parameters.has('code')) await newTransport().finishAuth(parameters.get('code'))
  const client = new Client({ name: 'web-playground', version: '1.0.0' })
  await client.connect(newTransport())
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  show('Signed in', names)
}

start().catch(error => {
  if (error.name !== 'UnauthorizedError') show(`Failed: ${error.message}`)
})
