import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Settings } from './settings.tsx'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Settings />
  </StrictMode>,
)
