import type { McpToolsState } from '@carabiner/sdk'
import { Badge } from '../ui/data/badge.tsx'

type Props = Pick<McpToolsState['tools'][number], 'annotations' | 'effects'>

const EFFECTS = {
  sends: 'Sends',
  shares: 'Shares',
  pays: 'Spends money',
  deletes: 'Deletes',
  suspends: 'Suspends',
  irreversible: 'Irreversible',
}

/** What a tool does besides reading: its effects, or the hint of a tool that declares none. */
export const ToolBadges = ({ annotations, effects }: Props) => (
  <>
    {annotations['readOnlyHint'] === true && <Badge>Read-only</Badge>}
    {effects === null && annotations['destructiveHint'] === true && <Badge tone="bad">Destructive</Badge>}
    {effects?.map(effect => (
      <Badge key={effect} tone="bad">
        {EFFECTS[effect]}
      </Badge>
    ))}
  </>
)
