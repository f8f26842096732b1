import { createLink } from './carabiner-link/index.js'

const POLL_EVERY = 2_000
const PATIENCE = 5 * 60_000

const element = id => document.getElementById(id)
const tell = text => {
  element('outcome').textContent = text
}
const ask = async (path, init) => {
  const response = await fetch(path, init)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.json()
}

const mintToken = () => ask('/api/link-token', { method: 'POST' })
const showConnected = async () => {
  const { connected } = await ask('/api/connections')
  element('connected').replaceChildren(
    ...connected.map(slug => Object.assign(document.createElement('li'), { textContent: slug })),
  )
  return connected
}

// The package: Link in a dialog on this page, and the outcome as a callback.
const connectHere = async () => {
  tell('Opening…')
  const { link_token, link_url } = await mintToken()
  const link = createLink({
    linkToken: link_token,
    linkUrl: link_url,
    onLoad: () => link.open(),
    onSuccess: ({ Connector }) => {
      tell(`${Connector} is connected.`)
      void showConnected()
    },
    onExit: error => tell(error ? `It did not work: ${error.code}` : 'Nothing was connected.'),
    onEvent: (name, detail) => {
      if (name === 'error') tell(`It did not work: ${detail.code}`)
      if (name === 'close') link.destroy()
    },
  })
}

// No package at all: the hosted page in a window of its own, and our own backend to ask what came of it.
const connectInWindow = async () => {
  // First the window, then the token: after an await the browser takes it for an advertisement.
  const popup = window.open('about:blank', 'link', 'popup,width=480,height=760')
  tell('Continue in the other window.')
  const before = await showConnected()
  const { link_token, link_url } = await mintToken()
  const address = `${link_url}/#link_token=${encodeURIComponent(link_token)}`
  if (!popup) return location.assign(address)
  popup.location.replace(address)

  // Whether the window was closed cannot be known: third parties cut the tie to it. So the backend is asked for a while.
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    await new Promise(resolve => setTimeout(resolve, POLL_EVERY))
    const [added] = (await showConnected()).filter(slug => !before.includes(slug))
    if (added) {
      popup.close()
      return tell(`${added} is connected.`)
    }
  }
  tell('Nothing was connected.')
}

const failed = error => {
  console.error(error)
  tell('That did not work just now. Try again.')
}
element('embedded').addEventListener('click', () => void connectHere().catch(failed))
element('hosted').addEventListener('click', () => void connectInWindow().catch(failed))
await showConnected().catch(failed)
