import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { takePageData } from './api/page-data.ts'
import { createQueryClient } from './api/query-client.ts'
import { extendSession } from './api/session.ts'
import { reloadAfterUpgrade } from './reload-after-upgrade.ts'
import { createDashboardRouter } from './router.ts'
import { Toasts } from './ui/overlays/toast.tsx'

reloadAfterUpgrade()
const queryClient = createQueryClient()
const router = createDashboardRouter(queryClient)
// The first render replaces what the service has rendered, so it must be complete.
const isRendered = takePageData(queryClient)
if (isRendered) await router.load()
const container = document.getElementById('root') as HTMLElement

/** What the service has rendered is inert until React has replaced it. */
const Activate = () => {
  useEffect(() => {
    container.removeAttribute('inert')
    if (isRendered) extendSession()
  }, [])
  return null
}

createRoot(container).render(
  <StrictMode>
    {/* The content security policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
        <Activate />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
