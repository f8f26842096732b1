import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readChoice, readText } from '../../read-search.ts'
import { scopeRoute } from '../../routes.tsx'
import { AUDIT_RANGES, type AuditSearch } from './audit/audit-search.ts'
import { DEVICES, type Device, LANGUAGES, type Language, THEMES, type Theme } from './link/preview-options.ts'

const indexRoute = createRoute({
  getParentRoute: () => scopeRoute,
  path: '/settings',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$organization/$mode/settings/api-keys', params, replace: true })
  },
})

export const settingsRoutes = [
  indexRoute,
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/api-keys',
    validateSearch: (search): { new?: string } => readText(search, 'new'),
    component: lazyRouteComponent(() => import('./api-keys/api-keys-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/callback-origins',
    /** `url`: the URL that is tested. */
    validateSearch: (search): { url?: string } => readText(search, 'url'),
    component: lazyRouteComponent(() => import('./origins/callback-origins-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/link',
    validateSearch: (search): { device: Device; theme: Theme; language: Language; state?: string } => ({
      device: readChoice(search, 'device', DEVICES),
      theme: readChoice(search, 'theme', THEMES),
      language: readChoice(search, 'language', LANGUAGES),
      ...readText(search, 'state'),
    }),
    component: lazyRouteComponent(() => import('./link/link-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/team',
    validateSearch: (search): { new?: string } => readText(search, 'new'),
    component: lazyRouteComponent(() => import('./team/team-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/account',
    component: lazyRouteComponent(() => import('./account/account-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/single-sign-on',
    component: lazyRouteComponent(() => import('./single-sign-on/single-sign-on-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/user-sign-in',
    component: lazyRouteComponent(() => import('./user-sign-in/user-sign-in-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/organization',
    component: lazyRouteComponent(() => import('./organization/organization-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => scopeRoute,
    path: '/settings/audit-trail',
    validateSearch: (search): AuditSearch => ({
      range: readChoice(search, 'range', AUDIT_RANGES),
      ...readText(search, 'action'),
      ...readText(search, 'actor'),
      ...readText(search, 'target'),
      ...readText(search, 'from'),
      ...readText(search, 'to'),
      ...readText(search, 'entry'),
    }),
    component: lazyRouteComponent(() => import('./audit/audit-page.tsx')),
  }),
] as const
