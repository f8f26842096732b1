import type { LucideIcon } from 'lucide-react'
import type { Scope } from '../../api/client.ts'
import type { Permission } from '../../api/session.ts'

export type Command = {
  id: string
  label: string
  /** A second line, such as an ID. */
  hint?: string
  group: string
  icon?: LucideIcon
  /** URL in the dashboard, without `/dashboard`. */
  href: string
  /** The whole URL is another site's, which opens in a new tab. */
  isExternal?: boolean
}

export type CommandContext = Scope & {
  person: string
  isOperator: boolean
  permissions: readonly Permission[]
}

/** Finds commands for a text. A source of the API returns a promise; its results appear when they arrive. */
export type CommandSource = (
  text: string,
  context: CommandContext,
  signal: AbortSignal,
) => Command[] | Promise<Command[]>
