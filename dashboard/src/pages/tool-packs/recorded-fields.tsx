import { useApiQuery } from '../../api/use-api-query.ts'
import { Checkbox } from '../../ui/forms/checkbox.tsx'

/** The largest fields make up most of a result. */
const MAX_SHOWN = 30

type Props = { tool: string; view: readonly string[]; onChange: (view: string[]) => void }

/** Fields in recorded results, largest first, to choose from. Without recorded results there is nothing to offer. */
export const RecordedFields = ({ tool, view, onChange }: Props) => {
  const { data } = useApiQuery(['tool-calls', 'result-fields', tool], (api, options) =>
    api.toolCalls.resultFields(tool, options),
  )
  if (!data || data.fields.length === 0) return null
  const share = data.fields.reduce((sum, one) => (isSelected(one.field, view) ? sum + one.share : sum), 0)
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Fields in recorded results</legend>
      <div className="grid max-h-48 gap-1 overflow-y-auto rounded-control border border-line p-3">
        {data.fields.slice(0, MAX_SHOWN).map(one => (
          <Checkbox
            key={one.field}
            isChecked={isSelected(one.field, view)}
            isDisabled={!view.includes(one.field) && isSelected(one.field, view)}
            onChange={isChecked =>
              onChange(isChecked ? [...view, one.field] : view.filter(field => field !== one.field))
            }
          >
            <span className="flex flex-wrap gap-x-2">
              <code className="min-w-0 font-mono text-xs wrap-anywhere">{one.field}</code>
              <span className="text-xs text-muted">{percent(one.share)}</span>
            </span>
          </Checkbox>
        ))}
      </div>
      <p role="status" className="text-xs text-muted">
        Based on {data.results === 1 ? '1 result' : `${data.results} results`} from the last 30 days.{' '}
        {view.length > 0 && `The chosen fields make up ${percent(share)} of the bytes.`}
      </p>
    </fieldset>
  )
}

const percent = (share: number): string =>
  share > 0 && share < 0.01 ? 'less than 1%' : `${Math.round(share * 100)}%`

/** A field selects everything below it. */
const isSelected = (field: string, view: readonly string[]): boolean =>
  view.some(chosen => field === chosen || field.startsWith(`${chosen}/`))
