import { LinkButton, useLink } from '@carabiner/link/react'
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** A test page. Its URL contains the options, and `window.show` changes them. */
const initialOptions = JSON.parse(decodeURIComponent(location.hash.slice(1)))
const toRecord = detail => (detail instanceof Error ? detail.code : detail)
window.recorded = { calls: [], events: [] }

/** Returns new functions on every render, as most applications do. */
const callbacks = () => ({
  onSuccess: success => window.recorded.calls.push(['success', success]),
  onExit: error => window.recorded.calls.push(['exit', toRecord(error)]),
  onEvent: (name, detail) => window.recorded.events.push([name, toRecord(detail)]),
})

const Connect = options => {
  const link = useLink({ ...options, ...callbacks() })
  window.link = link
  return createElement('button', { id: 'connect', type: 'button', onClick: link.open }, 'Connect')
}

const App = () => {
  const [shown, show] = useState(initialOptions)
  window.show = changes => show(previous => ({ ...previous, ...changes }))
  const { kind, ...options } = shown
  if (kind === 'nothing') return createElement('p', null, 'Nothing')
  if (kind === 'button')
    return createElement(
      LinkButton,
      { ...options, ...callbacks(), id: 'connect', className: 'own' },
      'Connect',
    )
  return createElement(Connect, options)
}

createRoot(document.getElementById('root')).render(createElement(StrictMode, null, createElement(App)))
