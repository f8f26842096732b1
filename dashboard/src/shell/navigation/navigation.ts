import {
  Building2,
  ChartNoAxesColumn,
  CircleCheck,
  FlaskConical,
  House,
  type LucideIcon,
  Package,
  Plug,
  Scale,
  ScrollText,
  Settings,
  ShieldCheck,
  Users,
  Webhook,
} from 'lucide-react'

/** A page of the navigation. `shortcut` is the key after `g`. */
export type NavigationItem = {
  label: string
  to:
    | '/o/$organization/$mode'
    | `/o/$organization/$mode/${
        | 'users'
        | 'organization-accounts'
        | 'connectors'
        | 'tool-packs'
        | 'playground'
        | 'explain'
        | 'logs'
        | 'usage'
        | 'webhooks'
        | 'webhooks/event-types'
        | 'approvals'
        | 'policies'
        | 'security'
        | 'settings'
        | `settings/${'api-keys' | 'callback-origins' | 'link' | 'team' | 'account' | 'organization' | 'audit-trail' | 'single-sign-on' | 'user-sign-in'}`}`
  icon: LucideIcon
  shortcut?: string
}

/** `label`: null for the pages that come first. */
export type NavigationGroup = { label: string | null; pages: readonly NavigationItem[] }

/** From top to bottom. A page appears here when it exists. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: null,
    pages: [
      {
        label: 'Home',
        to: '/o/$organization/$mode',
        icon: House,
        shortcut: 'h',
      },
      {
        label: 'Logs',
        to: '/o/$organization/$mode/logs',
        icon: ScrollText,
        shortcut: 'l',
      },
      {
        label: 'Playground',
        to: '/o/$organization/$mode/playground',
        icon: FlaskConical,
        shortcut: 'p',
      },
    ],
  },
  {
    label: 'Build',
    pages: [
      {
        label: 'Registered Users',
        to: '/o/$organization/$mode/users',
        icon: Users,
        shortcut: 'u',
      },
      {
        label: 'Organization accounts',
        to: '/o/$organization/$mode/organization-accounts',
        icon: Building2,
        shortcut: 'a',
      },
      {
        label: 'Connectors',
        to: '/o/$organization/$mode/connectors',
        icon: Plug,
        shortcut: 'c',
      },
      {
        label: 'Tool Packs',
        to: '/o/$organization/$mode/tool-packs',
        icon: Package,
        shortcut: 't',
      },
      {
        label: 'Webhooks',
        to: '/o/$organization/$mode/webhooks',
        icon: Webhook,
        shortcut: 'w',
      },
    ],
  },
  {
    label: 'Protect',
    pages: [
      {
        label: 'Approvals',
        to: '/o/$organization/$mode/approvals',
        icon: CircleCheck,
        shortcut: 'v',
      },
      {
        label: 'Policies',
        to: '/o/$organization/$mode/policies',
        icon: Scale,
        shortcut: 'r',
      },
      {
        label: 'Security Gateway',
        to: '/o/$organization/$mode/security',
        icon: ShieldCheck,
        shortcut: 'x',
      },
    ],
  },
  {
    label: 'Manage',
    pages: [
      {
        label: 'Usage',
        to: '/o/$organization/$mode/usage',
        icon: ChartNoAxesColumn,
        shortcut: 'n',
      },
      {
        label: 'Settings',
        to: '/o/$organization/$mode/settings',
        icon: Settings,
        shortcut: 's',
      },
    ],
  },
]
