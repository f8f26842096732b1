import { useState } from 'react'
import { Field } from '../../ui/forms/field.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { readFixedValue, writeFixedValue } from './fixed-value.ts'
import { RecordedFields } from './recorded-fields.tsx'
import type { SaveProblem } from './save-problem.ts'
import type { ChosenTool, ToolDefinition } from './selection.ts'

type Props = {
  tool: ToolDefinition
  chosen: ChosenTool
  slug: string
  /** What the service has rejected. */
  rejected: SaveProblem | null
  onClose: () => void
  onSave: (tool: ChosenTool) => void
}
type Setting = { kind: 'shown' | 'fixed' | 'hidden'; text: string }

const KINDS = [
  { value: 'shown', label: 'The model decides' },
  { value: 'fixed', label: 'Fixed value' },
  { value: 'hidden', label: 'Never sent' },
] as const

/** What the model sees of one tool, and the inputs that the pack sets. */
const ToolDialog = ({ tool, chosen, slug, rejected, onClose, onSave }: Props) => {
  const [description, setDescription] = useState(chosen.description ?? '')
  const [view, setView] = useState(chosen.view?.join('\n') ?? '')
  const properties = propertiesOf(tool)
  const required = requiredOf(tool)
  const [settings, setSettings] = useState<Record<string, Setting>>(() =>
    Object.fromEntries(Object.keys(properties).map(name => [name, settingOf(chosen, name)])),
  )
  const [problem, setProblem] = useState<{ name: string; message: string } | null>(
    rejected?.input === undefined ? null : { name: rejected.input, message: rejected.message },
  )
  const rejectedFor = (field: SaveProblem['field']): string | undefined =>
    rejected?.field === field ? rejected.message : undefined
  const submit = (): void => {
    const inputs: NonNullable<ChosenTool['inputs']> = {}
    for (const [name, { kind, text }] of Object.entries(settings)) {
      if (kind === 'hidden') inputs[name] = { hidden: true }
      if (kind !== 'fixed') continue
      const value = readFixedValue(properties[name], text)
      if ('problem' in value) return setProblem({ name, message: value.problem })
      inputs[name] = { fixed: value.value }
    }
    const fields = readLines(view)
    onSave({
      name: tool.name,
      ...(description.trim() && { description: description.trim() }),
      ...(Object.keys(inputs).length > 0 && { inputs }),
      ...(fields.length > 0 && { view: fields }),
    })
  }
  return (
    <FormDialog
      title={`Customize ${tool.name}`}
      description="Changes apply to this pack only. The tool keeps its name, so that prompts and logs agree."
      width="md"
      action="Apply"
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label="Description for the model"
        hint="Leave empty for the connector’s own description."
        error={rejectedFor('description')}
      >
        <Textarea
          rows={4}
          maxLength={2000}
          value={description}
          placeholder={tool.description}
          onChange={event => setDescription(event.target.value)}
        />
      </Field>
      <Field
        label="Result fields"
        hint="One JSON Pointer per line, with * for list items. Leave empty for the whole result."
        error={rejectedFor('view')}
      >
        <Textarea
          rows={3}
          value={view}
          placeholder="/items/*/title"
          spellCheck={false}
          className="font-mono"
          onChange={event => setView(event.target.value)}
        />
      </Field>
      <RecordedFields
        tool={`${slug}__${tool.name}`}
        view={readLines(view)}
        onChange={fields => setView(fields.join('\n'))}
      />
      {Object.entries(settings).map(([name, setting]) => {
        const change = (next: Partial<Setting>): void => {
          setProblem(null)
          setSettings({ ...settings, [name]: { ...setting, ...next } })
        }
        return (
          <div key={name} className="grid items-start gap-2 border-t border-line pt-4 md:grid-cols-2">
            <SelectField
              label={`Input ${name}`}
              hint={properties[name]?.description}
              value={setting.kind}
              onChange={kind => change({ kind })}
              options={KINDS.filter(({ value }) => value !== 'hidden' || !required.includes(name))}
            />
            {setting.kind === 'fixed' && (
              <TextField
                label={`Value of ${name}`}
                hint="The model does not see this input."
                error={problem?.name === name ? problem.message : undefined}
                value={setting.text}
                onChange={value => change({ text: value })}
              />
            )}
          </div>
        )
      })}
    </FormDialog>
  )
}

const readLines = (text: string): string[] =>
  text
    .split(/\n/)
    .map(line => line.trim())
    .filter(Boolean)

type Property = { type?: unknown; description?: string }

const propertiesOf = ({ input_schema }: ToolDefinition): Record<string, Property> => {
  const properties = input_schema['properties']
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, Property>) : {}
}

const requiredOf = ({ input_schema }: ToolDefinition): unknown[] => {
  const required = input_schema['required']
  return Array.isArray(required) ? required : []
}

const settingOf = ({ inputs }: ChosenTool, name: string): Setting => {
  const setting = inputs?.[name]
  if (!setting) return { kind: 'shown', text: '' }
  return setting.hidden
    ? { kind: 'hidden', text: '' }
    : { kind: 'fixed', text: writeFixedValue(setting.fixed) }
}

export default ToolDialog
