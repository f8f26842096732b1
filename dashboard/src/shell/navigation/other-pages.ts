import {
  Building2,
  CircleUserRound,
  Globe,
  KeyRound,
  LogIn,
  Palette,
  ScrollText,
  UsersRound,
  Webhook,
} from 'lucide-react'
import type { NavigationItem } from './navigation.ts'

/** Pages that are found by search but are not in the navigation. */
export const OTHER_PAGES: readonly NavigationItem[] = [
  {
    label: 'Event types',
    to: '/o/$organization/$mode/webhooks/event-types',
    icon: Webhook,
    keywords: 'webhooks events examples',
  },
  {
    label: 'API keys',
    to: '/o/$organization/$mode/settings/api-keys',
    icon: KeyRound,
    shortcut: 'k',
    keywords: 'settings regenerate secret',
  },
  {
    label: 'Allowed callback origins',
    to: '/o/$organization/$mode/settings/callback-origins',
    icon: Globe,
    keywords: 'settings redirect url test cors',
  },
  {
    label: 'Link customization',
    to: '/o/$organization/$mode/settings/link',
    icon: Palette,
    keywords: 'settings logo color brand text language preview',
  },
  {
    label: 'Team',
    to: '/o/$organization/$mode/settings/team',
    icon: UsersRound,
    keywords: 'settings members invite role',
  },
  {
    label: 'Your account',
    to: '/o/$organization/$mode/settings/account',
    icon: CircleUserRound,
    keywords: 'settings password second factor passkey sessions',
  },
  {
    label: 'Organization',
    to: '/o/$organization/$mode/settings/organization',
    icon: Building2,
    keywords: 'settings name plan capture retention export delete',
  },
  {
    label: 'Single sign-on',
    to: '/o/$organization/$mode/settings/single-sign-on',
    icon: LogIn,
    keywords: 'settings sso oidc openid',
  },
  {
    label: 'Audit trail',
    to: '/o/$organization/$mode/settings/audit-trail',
    icon: ScrollText,
    keywords: 'settings log changes verify chain',
  },
  {
    label: 'User sign-in',
    to: '/o/$organization/$mode/settings/user-sign-in',
    icon: LogIn,
    keywords: 'settings mcp clients oauth identity provider oidc claude chatgpt redirect uri',
  },
]
