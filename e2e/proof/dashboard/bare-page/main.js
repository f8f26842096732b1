import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

/** The least that a page made with React can be. The dashboard is compared with it. */
createRoot(document.getElementById('root')).render(
  createElement(
    StrictMode,
    null,
    createElement('h1', null, 'Sign in'),
    createElement('p', null, 'Use the e-mail address that you were invited with.'),
  ),
)
