import type { ToolPack } from '@carabiner/sdk'
import { Field } from '../../ui/forms/field.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'

const OPTIONS = [
  { value: 'list', label: 'List', hint: 'All tools are listed.' },
  { value: 'search', label: 'Search', hint: 'Agents use search_tools and call_tool.' },
  { value: 'reveal', label: 'Search that reveals tools', hint: 'Found tools are added to the list.' },
] as const

type Serving = Pick<ToolPack, 'serving' | 'favorites'>
type Props = Serving & {
  onChange: (changed: Partial<Serving>) => void
  isDisabled: boolean
  favoritesError: string | undefined
}

/** How `tools/list` presents the tools of the pack. */
export const ServingFields = ({ serving, favorites, onChange, isDisabled, favoritesError }: Props) => (
  <>
    <SelectField
      label="Serve tools as"
      hint="A search keeps the list short, however many tools the pack has."
      value={serving}
      options={OPTIONS}
      onChange={next => onChange({ serving: next })}
      isDisabled={isDisabled}
    />
    {serving !== 'list' && (
      <Field label="Favorites" hint="Tools that are always listed, one name per line." error={favoritesError}>
        <Textarea
          rows={3}
          placeholder="gmail__send_message"
          defaultValue={favorites.join('\n')}
          onChange={event => onChange({ favorites: event.target.value.split(/\s+/).filter(Boolean) })}
        />
      </Field>
    )}
  </>
)
