import {
  Building2,
  ChartNoAxesColumn,
  CircleQuestionMark as CircleHelp,
  FlaskConical,
  House,
  type LucideIcon,
  Package,
  Plug,
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
        | 'security'
        | 'settings'
        | `settings/${'api-keys' | 'callback-origins' | 'link' | 'team' | 'account' | 'organization' | 'audit-trail' | 'single-sign-on' | 'user-sign-in'}`}`
  icon: LucideIcon
  shortcut?: string
  keywords?: string
}

/** From top to bottom. A page appears here when it exists. */
export const NAVIGATION: readonly (readonly NavigationItem[])[] = [
  [
    {
      label: 'Home',
      to: '/o/$organization/$mode',
      icon: House,
      shortcut: 'h',
      keywords: 'start overview errors',
    },
    {
      label: 'Explain',
      to: '/o/$organization/$mode/explain',
      icon: CircleHelp,
      shortcut: 'e',
      keywords: 'why denied debug access',
    },
    {
      label: 'Registered Users',
      to: '/o/$organization/$mode/users',
      icon: Users,
      shortcut: 'u',
      keywords: 'people accounts credentials',
    },
    {
      label: 'Organization accounts',
      to: '/o/$organization/$mode/organization-accounts',
      icon: Building2,
      shortcut: 'a',
      keywords: 'shared credentials mailbox service',
    },
    {
      label: 'Connectors',
      to: '/o/$organization/$mode/connectors',
      icon: Plug,
      shortcut: 'c',
      keywords: 'catalog oauth app mcp server',
    },
    {
      label: 'Tool Packs',
      to: '/o/$organization/$mode/tool-packs',
      icon: Package,
      shortcut: 't',
      keywords: 'mcp url tools agent',
    },
    {
      label: 'Playground',
      to: '/o/$organization/$mode/playground',
      icon: FlaskConical,
      shortcut: 'p',
      keywords: 'try call tool mcp',
    },
  ],
  [
    {
      label: 'Logs',
      to: '/o/$organization/$mode/logs',
      icon: ScrollText,
      shortcut: 'l',
      keywords: 'tool calls deliveries audit live tail',
    },
    {
      label: 'Usage',
      to: '/o/$organization/$mode/usage',
      icon: ChartNoAxesColumn,
      shortcut: 'n',
      keywords: 'plan limit billing cycle calls',
    },
    {
      label: 'Security Gateway',
      to: '/o/$organization/$mode/security',
      icon: ShieldCheck,
      shortcut: 'x',
      keywords: 'rules redact block entities violations personal data',
    },
    {
      label: 'Webhooks',
      to: '/o/$organization/$mode/webhooks',
      icon: Webhook,
      shortcut: 'w',
      keywords: 'events endpoints deliveries replay secret',
    },
  ],
  [
    {
      label: 'Settings',
      to: '/o/$organization/$mode/settings',
      icon: Settings,
      shortcut: 's',
      keywords: 'api keys organization',
    },
  ],
]
