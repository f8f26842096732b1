import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { areFirstStepsDismissed } from '../../api/preferences.ts'
import { prefetchApi } from '../../api/use-api-query.ts'
import { scopeRoute } from '../../routes.tsx'
import { SUMMARY } from './summary-query.ts'
import { FIRST_STEPS } from './use-first-steps.ts'

export const homeRoutes = [
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/',
    // The data is requested while the page's code is loaded and rendered.
    loader: ({ context, params }) => {
      if (!areFirstStepsDismissed(params)) prefetchApi(context.queryClient, params, FIRST_STEPS)
      prefetchApi(context.queryClient, params, SUMMARY)
    },
    component: lazyRouteComponent(() => import('./home-page.tsx')),
  }),
] as const
