import {
  Building2,
  CircleQuestionMark as CircleHelp,
  CircleUserRound,
  Globe,
  KeyRound,
  LogIn,
  Palette,
  ScrollText,
  UsersRound,
  Webhook,
} from 'lucide-react'
import { NAVIGATION, type NavigationItem } from './navigation.ts'

/** Pages that are found by search but are not in the navigation. */
export const OTHER_PAGES: readonly NavigationItem[] = [
  {
    label: 'Explain',
    to: '/o/$organization/$mode/explain',
    icon: CircleHelp,
    shortcut: 'e',
  },
  {
    label: 'Event types',
    to: '/o/$organization/$mode/webhooks/event-types',
    icon: Webhook,
  },
  {
    label: 'API keys',
    to: '/o/$organization/$mode/settings/api-keys',
    icon: KeyRound,
    shortcut: 'k',
  },
  {
    label: 'Allowed callback origins',
    to: '/o/$organization/$mode/settings/callback-origins',
    icon: Globe,
  },
  {
    label: 'Link customization',
    to: '/o/$organization/$mode/settings/link',
    icon: Palette,
  },
  {
    label: 'Team',
    to: '/o/$organization/$mode/settings/team',
    icon: UsersRound,
  },
  {
    label: 'Your account',
    to: '/o/$organization/$mode/settings/account',
    icon: CircleUserRound,
  },
  {
    label: 'Organization',
    to: '/o/$organization/$mode/settings/organization',
    icon: Building2,
  },
  {
    label: 'Single sign-on',
    to: '/o/$organization/$mode/settings/single-sign-on',
    icon: LogIn,
  },
  {
    label: 'Audit trail',
    to: '/o/$organization/$mode/settings/audit-trail',
    icon: ScrollText,
  },
  {
    label: 'User sign-in',
    to: '/o/$organization/$mode/settings/user-sign-in',
    icon: LogIn,
  },
]

export const ALL_PAGES: readonly NavigationItem[] = [
  ...NAVIGATION.flatMap(({ pages }) => pages),
  ...OTHER_PAGES,
]
