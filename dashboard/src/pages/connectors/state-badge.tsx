import type { Connector } from '@carabiner/sdk'
import { Badge } from '../../ui/data/badge.tsx'

/** What a connector needs, if anything. */
export const StateBadge = ({ connector: { attention, is_usable, tool_count } }: { connector: Connector }) => {
  if (attention === 'changed_tools') return <Badge tone="warn">Review changes</Badge>
  if (attention === 'check_failed') return <Badge tone="warn">Check failed</Badge>
  if (is_usable) return <Badge tone="good">Ready</Badge>
  return tool_count === 0 ? <Badge>No tools yet</Badge> : <Badge tone="warn">Needs an OAuth app</Badge>
}
