import type { ToolPack } from '@carabiner/sdk'
import { usePackEstimate, usePackTools } from '../../api/use-tool-packs.ts'
import { Stat } from '../../ui/data/stat.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { describeTokens } from './token-cost.ts'
import type { PackDraft } from './use-pack-draft.ts'

type Props = { pack: ToolPack; draft: Pick<PackDraft, 'selection' | 'count'> }

const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' })

/** What the tools of the pack cost a model: the saved ones or, while there are changes, those of the draft. */
export const PackCost = ({ pack, draft }: Props) => {
  const { data, error } = usePackTools(pack.id)
  const selection = useDelayed(draft.selection)
  const { data: estimate } = usePackEstimate(pack.id, selection, draft.count > 0)
  if (error) return null
  const changed = draft.count > 0 ? estimate?.list_costs : undefined
  const costs = changed ?? data?.list_costs
  const [cost, whole, saved] = [costs?.[pack.serving], costs?.list, data?.list_costs[pack.serving]]
  const heaviest = data?.data.toSorted((a, b) => b.definition_bytes - a.definition_bytes)[0]
  return (
    <div className="grid gap-3 md:grid-cols-3">
      <Stat
        label="Tools"
        value={cost?.tools.toLocaleString()}
        note={
          changed && saved && cost
            ? `With your changes: ${describeChange(cost.tools - saved.tools)}`
            : whole &&
              pack.serving !== 'list' &&
              `Served as search. The pack has ${whole.tools.toLocaleString()} tools.`
        }
        isPending={!data}
      />
      <Stat
        label="Tokens per request"
        value={cost && `≈ ${cost.estimated_tokens.toLocaleString()}`}
        note={
          changed && saved && cost
            ? `With your changes: ${describeChange(cost.estimated_tokens - saved.estimated_tokens)}`
            : whole && pack.serving !== 'list'
              ? `The list of all tools would take ≈ ${whole.estimated_tokens.toLocaleString()}.`
              : `${(cost?.definition_bytes ?? 0).toLocaleString()} bytes of definitions, at 4 bytes per token`
        }
        isPending={!data}
      />
      <Stat
        label="Largest definition"
        value={heaviest ? <span className="text-base font-medium">{heaviest.name}</span> : '–'}
        note={heaviest && describeTokens(heaviest.definition_bytes)}
        isPending={!data}
      />
    </div>
  )
}

const describeChange = (difference: number): string =>
  difference === 0 ? 'no difference' : signed.format(difference)
