import type { LucideIcon } from 'lucide-react'
import type { Scope } from '../../api/client.ts'
import { NAVIGATION, OTHER_PAGES } from '../navigation/navigation.ts'

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

/** Finds commands for a text. A source of the API returns a promise; its results appear when they arrive. */
export type CommandSource = (
  text: string,
  scope: Scope,
  signal: AbortSignal,
) => Command[] | Promise<Command[]>

const pages: CommandSource = (text, { organization, mode }) =>
  [...NAVIGATION.flat(), ...OTHER_PAGES]
    .filter(({ label, keywords = '' }) =>
      `${label} ${keywords}`.toLowerCase().includes(text.trim().toLowerCase()),
    )
    .map(({ label, to, icon }) => ({
      id: `page:${label}`,
      label,
      group: 'Pages',
      icon,
      href: to.replace('$organization', organization).replace('$mode', mode),
    }))

/** The sources that call the API are loaded when something is searched. */
const resources: CommandSource = async (text, scope, signal) =>
  text.trim() === '' ? [] : (await import('./find-resources.ts')).findResources(text.trim(), scope, signal)

/** Add a source here to make more things findable with ⌘K. */
export const COMMAND_SOURCES: readonly CommandSource[] = [pages, resources]
