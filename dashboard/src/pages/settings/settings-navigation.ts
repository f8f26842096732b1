import type { Permission } from '../../api/session.ts'

type SettingsPage = {
  label: string
  to: `/o/$organization/$mode/settings/${
    | 'organization'
    | 'team'
    | 'single-sign-on'
    | 'audit-trail'
    | 'api-keys'
    | 'callback-origins'
    | 'link'
    | 'user-sign-in'
    | 'account'}`
  /** Hidden from people without it. */
  permission?: Permission
}

const at = '/o/$organization/$mode/settings/'

/** The side list of the settings, in groups. */
export const SETTINGS: readonly { label: string; pages: readonly SettingsPage[] }[] = [
  {
    label: 'Organization',
    pages: [
      { label: 'Organization', to: `${at}organization` },
      { label: 'Team', to: `${at}team` },
      { label: 'Single sign-on', to: `${at}single-sign-on` },
      { label: 'Audit trail', to: `${at}audit-trail`, permission: 'audit' },
    ],
  },
  {
    label: 'Integration',
    pages: [
      { label: 'API keys', to: `${at}api-keys` },
      { label: 'Callback origins', to: `${at}callback-origins` },
      { label: 'Link customization', to: `${at}link` },
      { label: 'User sign-in', to: `${at}user-sign-in` },
    ],
  },
  { label: 'You', pages: [{ label: 'Your account', to: `${at}account` }] },
]
