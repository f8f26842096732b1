import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { reloadAfterUpgrade } from './reload-after-upgrade.ts'
import { createDashboardRouter } from './router.ts'
import { Toasts } from './ui/overlays/toast.tsx'

reloadAfterUpgrade()
const queryClient = createQueryClient()
const router = createDashboardRouter(queryClient)
// The first render replaces the skeleton, so it must be a complete page. If loading fails, the router tries again and shows the error.
await router.load().catch(() => undefined)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    {/* The content security policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
