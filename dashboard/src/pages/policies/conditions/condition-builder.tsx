import type { ToolEffect } from '@carabiner/contract'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/overlays/menu.tsx'
import { TOOL_EFFECTS } from '../rule-words.ts'
import {
  type Comparison,
  comparisons,
  type Part,
  type PartKind,
  type Period,
  periods,
  readDomains,
} from './condition-parts.ts'
import { type ArgumentType, useToolArguments } from './use-tool-arguments.ts'

type Props = {
  parts: readonly Part[]
  tools: readonly string[]
  isDisabled: boolean
  onChange: (parts: Part[]) => void
}

const KINDS: Record<PartKind, { label: string; create: () => Part }> = {
  argument: {
    label: 'Argument',
    create: () => ({ kind: 'argument', name: '', comparison: '>', value: '' }),
  },
  domain: {
    label: 'Address outside a domain',
    create: () => ({ kind: 'domain', name: '', isList: false, domains: '' }),
  },
  destructive: { label: 'Destructive tool', create: () => ({ kind: 'destructive' }) },
  changes: { label: 'Tool that changes something', create: () => ({ kind: 'changes' }) },
  effect: { label: 'Effect of the tool', create: () => ({ kind: 'effect', effect: 'sends' }) },
  metadata: {
    label: 'Metadata of the user',
    create: () => ({ kind: 'metadata', name: '', isEqual: true, value: '' }),
  },
  label: { label: 'Label of the account', create: () => ({ kind: 'label', isEqual: true, value: '' }) },
  time: {
    label: 'Time of day',
    create: () => ({
      kind: 'time',
      from: 18,
      to: 8,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
  },
  count: {
    label: 'Number of calls',
    create: () => ({ kind: 'count', calls: '20', period: '1h', effect: null }),
  },
}

/** Conditions of the common forms, all of which must hold. */
export const ConditionBuilder = ({ parts, tools, isDisabled, onChange }: Props) => {
  const types = useToolArguments(tools)
  return (
    <div className="grid gap-3">
      {parts.length > 0 && (
        <ul aria-label="Conditions" className="grid gap-2">
          {parts.map((part, at) => (
            // Parts have no identity, and their order only changes when one is removed.
            <li key={at} className="rounded-popup border border-line px-3.5 py-3">
              <div className="flex items-center justify-between gap-2">
                <span className="text-xs font-medium text-muted">
                  {at > 0 && 'And: '}
                  {KINDS[part.kind].label}
                </span>
                {!isDisabled && (
                  <IconButton
                    label={`Remove condition ${at + 1}`}
                    icon={<X className="size-4" />}
                    className="-me-1.5 -mt-1.5 size-7"
                    onClick={() => onChange(parts.toSpliced(at, 1))}
                  />
                )}
              </div>
              <PartFields
                part={part}
                types={types}
                isDisabled={isDisabled}
                onChange={next => onChange(parts.toSpliced(at, 1, next))}
              />
            </li>
          ))}
        </ul>
      )}
      {!isDisabled && (
        <div>
          <Menu
            align="start"
            trigger={
              <Button size="sm" icon={<Plus className="size-4" aria-hidden="true" />}>
                Add condition
              </Button>
            }
          >
            {Object.entries(KINDS).map(([kind, { label, create }]) => (
              <MenuItem key={kind} onSelect={() => onChange([...parts, create()])}>
                {label}
              </MenuItem>
            ))}
          </Menu>
        </div>
      )}
    </div>
  )
}

type Types = ReadonlyMap<string, ArgumentType>
type PartProps<P> = { part: P; types: Types; isDisabled: boolean; onChange: (part: Part) => void }
type PartOf<Kind extends PartKind> = Extract<Part, { kind: Kind }>

const PartFields = ({ part, ...rest }: PartProps<Part>): ReactNode => {
  switch (part.kind) {
    case 'destructive':
      return (
        <Meaning>The tool sends, pays, shares, deletes or suspends, or belongs to an MCP server.</Meaning>
      )
    case 'changes':
      return <Meaning>The tool does more than read.</Meaning>
    case 'effect':
      return <EffectFields part={part} {...rest} />
    case 'argument':
      return <ArgumentFields part={part} {...rest} />
    case 'domain':
      return <DomainFields part={part} {...rest} />
    case 'metadata':
      return <MetadataFields part={part} {...rest} />
    case 'label':
      return <LabelFields part={part} {...rest} />
    case 'time':
      return <TimeFields part={part} {...rest} />
    case 'count':
      return <CountFields part={part} {...rest} />
  }
}

const Meaning = ({ children }: { children: ReactNode }) => <p className="pt-1 text-sm">{children}</p>

const Row = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-2 pt-2 sm:auto-cols-fr sm:grid-flow-col">{children}</div>
)

const COMPARISONS: Record<Comparison, string> = {
  '>': 'is more than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
  is: 'is',
  'is not': 'is not',
  contains: 'contains',
  'starts with': 'starts with',
  true: 'is true',
  false: 'is false',
}
const COMPARISON_OPTIONS = comparisons.map(value => ({ value, label: COMPARISONS[value] }))
const NUMERIC: readonly Comparison[] = ['>', '>=', '<', '<=']

/** What fits the type of an argument that the person has just chosen. */
const comparisonFor = (type: ArgumentType | undefined, current: Comparison): Comparison => {
  const isNumeric = NUMERIC.includes(current)
  if (type === 'boolean') return current === 'false' ? 'false' : 'true'
  if (type === 'text' && (isNumeric || current === 'true' || current === 'false')) return 'is'
  return type === 'number' && !isNumeric ? '>' : current
}

type SuggestProps = {
  label: string
  placeholder: string
  value: string
  suggestions: Iterable<string>
  isDisabled: boolean
  onChange: (value: string) => void
}

/** Any text can be typed; known values are suggested. */
const SuggestInput = ({ label, suggestions, isDisabled, onChange, ...input }: SuggestProps) => {
  const listId = useId()
  return (
    <>
      <Input
        {...input}
        aria-label={label}
        list={listId}
        disabled={isDisabled}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {[...suggestions].map(each => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}

type ArgumentNameProps = { name: string; types: Types; isDisabled: boolean; onChange: (name: string) => void }

const ArgumentName = ({ name, types, ...rest }: ArgumentNameProps) => (
  <SuggestInput label="Argument" placeholder="Argument" value={name} suggestions={types.keys()} {...rest} />
)

const ArgumentFields = ({ part, types, isDisabled, onChange }: PartProps<PartOf<'argument'>>) => {
  const isNumeric = NUMERIC.includes(part.comparison)
  const needsValue = part.comparison !== 'true' && part.comparison !== 'false'
  return (
    <Row>
      <ArgumentName
        name={part.name}
        types={types}
        isDisabled={isDisabled}
        onChange={name =>
          onChange({ ...part, name, comparison: comparisonFor(types.get(name), part.comparison) })
        }
      />
      <Select
        label="Comparison"
        value={part.comparison}
        options={COMPARISON_OPTIONS}
        isDisabled={isDisabled}
        onChange={comparison => onChange({ ...part, comparison })}
      />
      {needsValue && (
        <Input
          aria-label={isNumeric ? 'Number' : 'Text'}
          placeholder={isNumeric ? '100' : 'Text'}
          inputMode={isNumeric ? 'decimal' : 'text'}
          value={part.value}
          disabled={isDisabled}
          autoComplete="off"
          onChange={event => onChange({ ...part, value: event.target.value })}
        />
      )}
    </Row>
  )
}

const LIST_OPTIONS = [
  { value: 'text', label: 'is not an address at' },
  { value: 'list', label: 'has an address outside' },
] as const

const DomainFields = ({ part, types, isDisabled, onChange }: PartProps<PartOf<'domain'>>) => {
  const isInvalid = part.domains.trim() !== '' && readDomains(part.domains) === null
  return (
    <>
      <Row>
        <ArgumentName
          name={part.name}
          types={types}
          isDisabled={isDisabled}
          onChange={name => {
            const type = types.get(name)
            onChange({ ...part, name, isList: type === undefined ? part.isList : type === 'list' })
          }}
        />
        <Select
          label="Form of the argument"
          value={part.isList ? 'list' : 'text'}
          options={LIST_OPTIONS}
          isDisabled={isDisabled}
          onChange={form => onChange({ ...part, isList: form === 'list' })}
        />
        <Input
          aria-label="Domains"
          placeholder="acme.com, acme.org"
          value={part.domains}
          disabled={isDisabled}
          aria-invalid={isInvalid || undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={event => onChange({ ...part, domains: event.target.value })}
        />
      </Row>
      <p className="pt-1.5 text-xs text-muted">
        {part.isList ? 'Each item' : 'The text'} must be exactly one address at one of these domains, without
        a display name.
      </p>
    </>
  )
}

const EFFECT_OPTIONS = Object.entries(TOOL_EFFECTS).map(([value, label]) => ({
  value: value as ToolEffect,
  label,
}))

const EffectFields = ({ part, isDisabled, onChange }: PartProps<PartOf<'effect'>>) => (
  <Row>
    <Select
      label="Effect of the tool"
      value={part.effect}
      options={EFFECT_OPTIONS}
      isDisabled={isDisabled}
      onChange={effect => onChange({ ...part, effect })}
    />
  </Row>
)

const EQUALITY = [
  { value: 'is', label: 'is' },
  { value: 'not', label: 'is not' },
] as const

const Equality = ({
  isEqual,
  isDisabled,
  onChange,
}: {
  isEqual: boolean
  isDisabled: boolean
  onChange: (isEqual: boolean) => void
}) => (
  <Select
    label="Comparison"
    value={isEqual ? 'is' : 'not'}
    options={EQUALITY}
    isDisabled={isDisabled}
    onChange={value => onChange(value === 'is')}
  />
)

const MetadataFields = ({ part, isDisabled, onChange }: PartProps<PartOf<'metadata'>>) => (
  <Row>
    <Input
      aria-label="Name in the metadata"
      placeholder="level"
      value={part.name}
      disabled={isDisabled}
      autoComplete="off"
      spellCheck={false}
      onChange={event => onChange({ ...part, name: event.target.value })}
    />
    <Equality
      isEqual={part.isEqual}
      isDisabled={isDisabled}
      onChange={isEqual => onChange({ ...part, isEqual })}
    />
    <Input
      aria-label="Value in the metadata"
      placeholder="trainee"
      value={part.value}
      disabled={isDisabled}
      autoComplete="off"
      onChange={event => onChange({ ...part, value: event.target.value })}
    />
  </Row>
)

const LabelFields = ({ part, isDisabled, onChange }: PartProps<PartOf<'label'>>) => (
  <Row>
    <Equality
      isEqual={part.isEqual}
      isDisabled={isDisabled}
      onChange={isEqual => onChange({ ...part, isEqual })}
    />
    <Input
      aria-label="Label of the account"
      placeholder="Work"
      value={part.value}
      disabled={isDisabled}
      autoComplete="off"
      onChange={event => onChange({ ...part, value: event.target.value })}
    />
  </Row>
)

const hourLabel = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
const HOURS = Array.from({ length: 25 }, (_, hour) => ({ value: String(hour), label: hourLabel(hour) }))

const TimeFields = ({ part, isDisabled, onChange }: PartProps<PartOf<'time'>>) => (
  <>
    <Row>
      <Select
        label="From"
        value={String(part.from)}
        options={HOURS.slice(0, 24)}
        isDisabled={isDisabled}
        onChange={from => onChange({ ...part, from: Number(from) })}
      />
      <Select
        label="Until"
        value={String(part.to)}
        options={HOURS}
        isDisabled={isDisabled}
        onChange={to => onChange({ ...part, to: Number(to) })}
      />
      <ZoneInput zone={part.zone} isDisabled={isDisabled} onChange={zone => onChange({ ...part, zone })} />
    </Row>
    <p className="pt-1.5 text-xs text-muted">
      {part.from === part.to
        ? 'Choose two different hours.'
        : `Between ${hourLabel(part.from)} and ${hourLabel(part.to)}${part.from > part.to ? ', over midnight' : ''}.`}
    </p>
  </>
)

type ZoneInputProps = { zone: string; isDisabled: boolean; onChange: (zone: string) => void }

const ZoneInput = ({ zone, ...rest }: ZoneInputProps) => (
  <SuggestInput
    label="Time zone"
    placeholder="Europe/Berlin"
    value={zone}
    suggestions={Intl.supportedValuesOf('timeZone')}
    {...rest}
  />
)

const PERIODS: Record<Period, string> = {
  '1m': '1 minute',
  '10m': '10 minutes',
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
}
const PERIOD_OPTIONS = periods.map(value => ({ value, label: `within ${PERIODS[value]}` }))
const SAME_TOOL = 'tool'
const COUNTED_OPTIONS = [{ value: SAME_TOOL, label: 'Same tool' }, ...EFFECT_OPTIONS]

const CountFields = ({ part, isDisabled, onChange }: PartProps<PartOf<'count'>>) => (
  <>
    <Row>
      <Input
        aria-label="Number of calls"
        placeholder="20"
        inputMode="numeric"
        value={part.calls}
        disabled={isDisabled}
        autoComplete="off"
        onChange={event => onChange({ ...part, calls: event.target.value })}
      />
      <Select
        label="Period"
        value={part.period}
        options={PERIOD_OPTIONS}
        isDisabled={isDisabled}
        onChange={period => onChange({ ...part, period })}
      />
      <Select<string>
        label="Counted calls"
        value={part.effect ?? SAME_TOOL}
        options={COUNTED_OPTIONS}
        isDisabled={isDisabled}
        onChange={effect =>
          onChange({ ...part, effect: effect === SAME_TOOL ? null : (effect as ToolEffect) })
        }
      />
    </Row>
    <p className="pt-1.5 text-xs text-muted">
      The user has already made this many calls of{' '}
      {part.effect === null ? 'the same tool' : 'tools with this effect'}. Calls that did not run do not
      count.
    </p>
  </>
)
