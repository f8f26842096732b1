import { policyBounds } from '@carabiner/contract/policy-bounds'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useConnectorName, useConnectors, useFoundTools } from '../../api/use-connectors.ts'
import { Combobox, type ComboboxOption } from '../../ui/forms/combobox.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { toolLabel } from './rule-words.ts'

type Props = {
  value: readonly string[]
  onChange: (tools: string[]) => void
  error: string | undefined
  isDisabled: boolean
}

const TOOL = /^(?:\*|[a-z0-9-]+__(?:\*|[A-Za-z0-9_.-]+))$/
const MAX_OFFERED = 20

/** The tools that a rule is for: single ones, all of a connector, or all. */
export const ToolChoice = ({ value, onChange, error, isDisabled }: Props) => {
  const [text, setText] = useState('')
  const { options, isFetching } = useOfferedTools(text.trim(), value)
  const connectorName = useConnectorName()
  const add = (tool: string): void => {
    setText('')
    if (!value.includes(tool)) onChange([...value, tool])
  }
  return (
    <div className="grid gap-2">
      <Field label="Tools" hint="Search by name. A rule can be for all tools of a connector." error={error}>
        {isDisabled || value.length >= policyBounds.tools ? (
          <span />
        ) : (
          <Combobox
            text={text}
            options={options}
            status={
              options.length > 0 ? null : isFetching ? 'Searching…' : 'No tool or connector has this name.'
            }
            isBusy={isFetching}
            listLabel="Tools"
            placeholder="send_message, Notes, all"
            onType={setText}
            onChoose={add}
            onEnter={typed => {
              const wanted = typed.trim()
              if (wanted === '') return
              const [first] = options
              if (TOOL.test(wanted)) add(wanted)
              else if (first && !isFetching) add(first.id)
            }}
          />
        )}
      </Field>
      {value.length > 0 && (
        <ul aria-label="Chosen tools" className="flex flex-wrap gap-2">
          {value.map(tool => (
            <li
              key={tool}
              className="inline-flex min-w-0 items-center gap-1 rounded-full border border-line bg-ground ps-3 pe-1 text-xs max-md:min-h-11"
            >
              <span className="min-w-0 py-1.5 wrap-anywhere">{toolLabel(tool, connectorName)}</span>
              {!isDisabled && (
                <IconButton
                  label={`Remove ${toolLabel(tool, connectorName)}`}
                  icon={<X className="size-3.5" />}
                  className="size-6"
                  onClick={() => onChange(value.filter(each => each !== tool))}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const useOfferedTools = (
  text: string,
  chosen: readonly string[],
): { options: ComboboxOption[]; isFetching: boolean } => {
  const delayed = useDelayed(text)
  const found = useFoundTools(delayed)
  const { data: connectors = [] } = useConnectors({ isComplete: true })
  const word = text.toLowerCase()
  const options: ComboboxOption[] = [
    ...('all tools'.startsWith(word) || word === '*' ? [{ id: '*', label: 'All tools', kind: 'All' }] : []),
    ...connectors
      .filter(({ slug, name, is_usable: isUsable }) =>
        word === '' ? isUsable : `${slug} ${name}`.toLowerCase().includes(word),
      )
      .map(({ slug, name }) => ({
        id: `${slug}__*`,
        label: `All tools of ${name}`,
        detail: `${slug}__*`,
        kind: 'Connector',
      })),
    ...(delayed.length < 2 ? [] : (found.data?.data ?? [])).flatMap(({ connector_slug: slug, tools }) =>
      tools.map(({ name, title }) => ({
        id: `${slug}__${name}`,
        label: title || name,
        detail: `${slug}__${name}`,
        kind: 'Tool',
      })),
    ),
  ]
  return {
    options: options.filter(({ id }) => !chosen.includes(id)).slice(0, MAX_OFFERED),
    isFetching: text !== delayed || found.isFetching,
  }
}
