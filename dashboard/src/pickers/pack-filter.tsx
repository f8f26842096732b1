import type { ToolPack } from '@carabiner/sdk'
import { Filter } from '../ui/lists/filter.tsx'

type Props = { packs: ToolPack[]; value: string | undefined; onChange: (id: string | undefined) => void }

/** Whose rules are shown: those of the organization, or of one Tool Pack. */
export const PackFilter = ({ packs, value, onChange }: Props) => (
  <Filter
    label="Rules for"
    value={value ?? ''}
    onChange={next => onChange(next || undefined)}
    options={[
      { value: '', label: 'The organization' },
      ...packs.map(({ id, name }) => ({ value: id, label: `Tool Pack ${name}` })),
    ]}
  />
)
