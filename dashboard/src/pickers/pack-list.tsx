import { useToolPacks } from '../api/use-tool-packs.ts'
import { Checkbox } from '../ui/forms/checkbox.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import { SkeletonRows } from '../ui/states/skeleton.tsx'

type Props = {
  label: string
  value: readonly string[]
  onChange: (ids: string[]) => void
  isDisabled?: boolean
}

/** Chooses any number of Tool Packs. An organization has at most 100. */
export const PackList = ({ label, value, onChange, isDisabled = false }: Props) => {
  const { data, error } = useToolPacks()
  if (error) return <ErrorNote error={error} />
  if (!data) return <SkeletonRows label="Loading Tool Packs" rows={2} isInCard={false} />
  return (
    <fieldset
      aria-label={label}
      // A list that scrolls must be reachable with the keyboard.
      tabIndex={data.length > 6 ? 0 : undefined}
      className="grid max-h-56 gap-1.5 overflow-y-auto rounded-control border border-line p-3"
    >
      {data.map(({ id, name }) => (
        <Checkbox
          key={id}
          isChecked={value.includes(id)}
          isDisabled={isDisabled}
          onChange={isChecked => onChange(isChecked ? [...value, id] : value.filter(one => one !== id))}
        >
          {name}
        </Checkbox>
      ))}
    </fieldset>
  )
}
