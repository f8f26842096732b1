import type { KnownTool } from '../../connectors/mcp-servers/known-tools.ts'
import type { ToolKind } from '../../pages/views/index.ts'

const DELETES = 'remove delete trash destroy purge clear erase unlink discard'
const CREATES =
  'add create append send reply respond forward comment post upload copy share invite insert import draft schedule quick duplicate new submit publish open start'
const CHANGES =
  'edit update set change move rename mark merge assign transition reschedule close complete cancel suspend unsuspend unlock untrash restore reopen archive enable disable replace modify write resolve approve'

const KIND_OF_VERB = new Map<string, ToolKind>(
  Object.entries({ delete: DELETES, create: CREATES, change: CHANGES }).flatMap(([kind, verbs]) =>
    verbs.split(' ').map(verb => [verb, kind as ToolKind] as const),
  ),
)
const KIND_OF_METHOD: Record<string, ToolKind> = { POST: 'create', DELETE: 'delete' }

/**
 * Classifies what a tool does to the account. Read-only annotations win, then the first known verb in the tool's name (some
 * vendors use POST for everything), then the HTTP method. The default is `change`.
 */
export const toolKind = ({ name, readOnly, method = '' }: Omit<KnownTool, 'title' | 'scopes'>): ToolKind => {
  if (readOnly) return 'read'
  const verb = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .find(word => KIND_OF_VERB.has(word))
  return KIND_OF_VERB.get(verb ?? '') ?? KIND_OF_METHOD[method] ?? 'change'
}
