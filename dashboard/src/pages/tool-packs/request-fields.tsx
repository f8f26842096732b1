import type { Connector } from '@carabiner/sdk'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import type { SaveProblem } from './save-problem.ts'
import type { RequestRules } from './selection.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type RequestDraft = { isOn: boolean; methods: RequestRules['methods']; paths: string }

export const requestDraftOf = (rules: RequestRules | undefined): RequestDraft => ({
  isOn: rules !== undefined,
  methods: rules?.methods ?? ['GET'],
  paths: rules?.paths.join('\n') ?? '',
})

/** Null: methods or paths are missing. */
export const readRequestDraft = ({
  isOn,
  methods,
  paths,
}: RequestDraft): { requests: RequestRules | undefined } | null => {
  if (!isOn) return { requests: undefined }
  const patterns = paths.split(/\s+/).filter(Boolean)
  return methods.length > 0 && patterns.length > 0 ? { requests: { methods, paths: patterns } } : null
}

type Props = {
  connector: Connector
  draft: RequestDraft
  onChange: (draft: RequestDraft) => void
  problem: SaveProblem | null
}

/** The methods and paths of the API that `<connector>__request` may use. */
export const RequestFields = ({ connector: { slug, kind }, draft, onChange, problem }: Props) => {
  const errorOf = (field: SaveProblem['field']): string | undefined =>
    problem?.field === field ? problem.message : undefined
  const methodsError = errorOf('methods') ?? errorOf('requests')
  return (
    <>
      <Switch
        label="Raw requests"
        hint={
          kind === 'mcp'
            ? 'MCP servers do not support raw requests.'
            : `Offers the tool ${slug}__request, which sends requests to the API with the user’s account.`
        }
        isOn={draft.isOn}
        isDisabled={kind === 'mcp' && !draft.isOn}
        onChange={isOn => onChange({ ...draft, isOn })}
      />
      {draft.isOn && (
        <>
          <fieldset className="grid gap-1.5">
            <legend className="mb-1.5 text-sm font-medium">Methods</legend>
            <div className="flex flex-wrap gap-x-5">
              {METHODS.map(method => (
                <Checkbox
                  key={method}
                  isChecked={draft.methods.includes(method)}
                  onChange={isChecked =>
                    onChange({
                      ...draft,
                      // In the order of the list; the first is the default of a call.
                      methods: METHODS.filter(one =>
                        one === method ? isChecked : draft.methods.includes(one),
                      ),
                    })
                  }
                >
                  {method}
                </Checkbox>
              ))}
            </div>
            {methodsError && (
              <p role="alert" className="text-xs font-medium text-bad">
                {methodsError}
              </p>
            )}
          </fieldset>
          <Field
            label="Paths"
            hint="One pattern per line. * matches one segment, ** at the end one or more. Query parameters and bodies are not restricted."
            error={errorOf('paths')}
          >
            <Textarea
              rows={4}
              value={draft.paths}
              placeholder={'/repos/*/*/labels\n/v1/**'}
              spellCheck={false}
              className="font-mono"
              onChange={event => onChange({ ...draft, paths: event.target.value })}
            />
          </Field>
        </>
      )}
    </>
  )
}
