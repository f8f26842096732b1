import type { LucideIcon } from 'lucide-react'
import type { Scope } from '../../api/client.ts'
import { NAVIGATION } from '../navigation/navigation.ts'
import { OPERATOR_PAGES } from '../navigation/operator-pages.ts'
import { OTHER_PAGES } from '../navigation/other-pages.ts'

export type Command = {
  id: string
  label: string
  /** A second line, such as an ID. */
  hint?: string
  group: string
  icon?: LucideIcon
  /** URL in the dashboard, without `/dashboard`. */
  href: string
}

export type CommandContext = Scope & { isOperator: boolean }

/** Finds commands for a text. A source of the API returns a promise; its results appear when they arrive. */
export type CommandSource = (
  text: string,
  context: CommandContext,
  signal: AbortSignal,
) => Command[] | Promise<Command[]>

type Page = { label: string; keywords?: string }
const mentions =
  (text: string) =>
  ({ label, keywords = '' }: Page): boolean =>
    `${label} ${keywords}`.toLowerCase().includes(text.trim().toLowerCase())

const pages: CommandSource = (text, { organization, mode }) =>
  [...NAVIGATION.flat(), ...OTHER_PAGES].filter(mentions(text)).map(({ label, to, icon }) => ({
    id: `page:${label}`,
    label,
    group: 'Pages',
    icon,
    href: to.replace('$organization', organization).replace('$mode', mode),
  }))

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

/** Add a source here to make more things findable with ⌘K. */
export const COMMAND_SOURCES: readonly CommandSource[] = [pages, operatorPages, resources]
