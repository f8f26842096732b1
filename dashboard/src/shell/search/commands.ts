import { ArrowRight, FlaskConical, KeyRound, type LucideIcon, Mail, UserPlus, UsersRound } from 'lucide-react'
import type { Permission } from '../../api/session.ts'
import { OPERATOR_PAGES } from '../navigation/operator-pages.ts'
import { ALL_PAGES } from '../navigation/other-pages.ts'
import { pathInMode } from '../navigation/path-in-mode.ts'
import { readRecentPages } from '../recent-pages.ts'
import type { Command, CommandContext, CommandSource } from './command-source.ts'
import { PAGE_KEYWORDS } from './page-keywords.ts'

type Page = { label: string; keywords?: string }
const mentions =
  (text: string) =>
  ({ label, keywords = '' }: Page): boolean =>
    `${label} ${keywords}`.toLowerCase().includes(text.trim().toLowerCase())

const pages = (text: string, { organization, mode }: CommandContext): Command[] =>
  ALL_PAGES.filter(({ label }) => mentions(text)({ label, keywords: PAGE_KEYWORDS[label] ?? '' })).map(
    ({ label, to, icon }) => ({
      id: `page:${label}`,
      label,
      group: 'Pages',
      icon,
      href: to.replace('$organization', organization).replace('$mode', mode),
    }),
  )

const otherPages: CommandSource = (text, context) => {
  const recentPaths = new Set(readRecentPages(context).map(({ path }) => path))
  return pages(text, context).filter(({ href }) => !recentPaths.has(href))
}

const recent: CommandSource = (_text, visitor) =>
  readRecentPages(visitor).map(({ label, path }) => ({
    id: `recent:${path}`,
    label,
    group: 'Recent',
    icon: ALL_PAGES.find(page => page.label === label)?.icon ?? ArrowRight,
    href: path,
  }))

/** `path`: below organization and mode. The page opens the dialog of `new`. */
type Action = Page & { path: string; icon: LucideIcon; permission: Permission }

const ACTIONS: readonly Action[] = [
  {
    label: 'Create API key',
    path: '/settings/api-keys?new=key',
    icon: KeyRound,
    permission: 'manage',
    keywords: 'add new secret',
  },
  {
    label: 'Create link',
    path: '/users?new=link',
    icon: Mail,
    permission: 'build',
    keywords: 'add new connect account magic reconnect',
  },
  {
    label: 'Create user',
    path: '/users?new=user',
    icon: UserPlus,
    permission: 'build',
    keywords: 'add new registered',
  },
  {
    label: 'Invite member',
    path: '/settings/team?new=member',
    icon: UsersRound,
    permission: 'manage',
    keywords: 'add new team person role',
  },
]

const actions: CommandSource = (text, { organization, mode, permissions }) => {
  const other = mode === 'test' ? 'production' : 'test'
  const switchMode = { label: `Switch to ${other} mode`, keywords: 'change', icon: FlaskConical }
  return [
    ...ACTIONS.filter(({ permission }) => permissions.includes(permission)).map(({ path, ...action }) => ({
      ...action,
      href: `/o/${organization}/${mode}${path}`,
    })),
    { ...switchMode, href: pathInMode({ organization, mode: other }) },
  ]
    .filter(mentions(text))
    .map(({ label, icon, href }) => ({ id: `action:${label}`, label, group: 'Actions', icon, href }))
}

const operatorPages: CommandSource = (text, { isOperator }) =>
  (isOperator ? OPERATOR_PAGES : []).filter(mentions(text)).map(({ label, to, icon }) => ({
    id: `operator-page:${label}`,
    label,
    group: 'Installation',
    icon,
    href: to,
  }))

/** The sources that call the API are loaded when something is searched. */
const resources: CommandSource = async (text, scope, signal) =>
  text.trim() === '' ? [] : (await import('./find-resources.ts')).findResources(text.trim(), scope, signal)

/** Loaded when something is searched, like the list of pages that it searches. */
const documentation: CommandSource = async text =>
  text.trim().length < 3 ? [] : (await import('./find-documentation.ts')).findDocumentation(text.trim())

/** Add a source here to make more things findable with ⌘K. Before anything is typed, recent pages and actions come first. */
export const sourcesOf = (text: string): readonly CommandSource[] =>
  text.trim() === ''
    ? [recent, actions, otherPages, operatorPages]
    : [pages, actions, operatorPages, resources, documentation]
