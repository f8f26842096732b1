import { createLink } from './carabiner-link/index.js'

const POLL_INTERVAL_MS = 2_000
const POLL_TIMEOUT_MS = 5 * 60_000

const element = id => document.getElementById(id)
const showStatus = text => {
  element('outcome').textContent = text
}
const fetchJson = async (path, init) => {
  const response = await fetch(path, init)
  if (!response.ok) throw new Error(`${path} returned ${response.status}`)
  return response.json()
}

const mintToken = () => fetchJson('/api/link-token', { method: 'POST' })
const showConnected = async () => {
  const { connected } = await fetchJson('/api/connections')
  element('connected').replaceChildren(
    ...connected.map(slug => Object.assign(document.createElement('li'), { textContent: slug })),
  )
  return connected
}

// With the package: Link opens in a dialog on this page, and callbacks report the result.
const connectHere = async () => {
  showStatus('Opening…')
  const { link_token, link_url } = await mintToken()
  const link = createLink({
    linkToken: link_token,
    linkUrl: link_url,
    onLoad: () => link.open(),
    onSuccess: ({ Connector }) => {
      showStatus(`${Connector} is connected.`)
      void showConnected()
    },
    onExit: error => showStatus(error ? `Failed: ${error.code}` : 'Nothing was connected.'),
    onEvent: (name, detail) => {
      if (name === 'error') showStatus(`Failed: ${detail.code}`)
      if (name === 'close') link.destroy()
    },
  })
}

// Without the package: the hosted page opens in a popup, and the page polls its own backend for the result.
const connectInWindow = async () => {
  // The popup opens before the token is fetched, because after an await the browser would block it.
  const popup = window.open('about:blank', 'link', 'popup,width=480,height=760')
  showStatus('Continue in the other window.')
  const before = await showConnected()
  const { link_token, link_url } = await mintToken()
  const address = `${link_url}/#link_token=${encodeURIComponent(link_token)}`
  if (!popup) return location.assign(address)
  popup.location.replace(address)

  // Providers may sever the popup, after which `closed` is unreliable. Therefore the page polls for a limited time.
  for (const end = Date.now() + POLL_TIMEOUT_MS; Date.now() < end; ) {
    await new Promise(resolve => setTimeout(resolve, POLL_INTERVAL_MS))
    const [added] = (await showConnected()).filter(slug => !before.includes(slug))
    if (added) {
      popup.close()
      return showStatus(`${added} is connected.`)
    }
  }
  showStatus('Nothing was connected.')
}

const failed = error => {
  console.error(error)
  showStatus('That did not work just now. Try again.')
}
element('embedded').addEventListener('click', () => void connectHere().catch(failed))
element('hosted').addEventListener('click', () => void connectInWindow().catch(failed))
await showConnected().catch(failed)
