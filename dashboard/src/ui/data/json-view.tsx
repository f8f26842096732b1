import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { cx } from '../cx.ts'

/** Placeholders of the Security Gateway, and this service's own tokens, which are never shown in full. */
const REDACTED = /\[REDACTED:[A-Z0-9_]+\]/
const TOKEN = /\b(cb_[a-z]+_(?:live_|test_)?)[A-Za-z0-9_-]{8,}/g
const MAX_OPEN_DEPTH = 2

/** JSON as a tree. Nested values are closed below the second level. */
export const JsonView = ({ value, label }: { value: unknown; label: string }) => (
  <div
    role="group"
    aria-label={label}
    className="overflow-x-auto rounded-popup border border-line bg-ground px-3.5 py-3 font-mono text-xs leading-5"
  >
    <JsonNode value={value} depth={0} />
  </div>
)

type NodeProps = { name?: string; value: unknown; depth: number }

const JsonNode = ({ name, value, depth }: NodeProps) => {
  const [isOpen, setOpen] = useState(depth < MAX_OPEN_DEPTH)
  const entries = entriesOf(value)
  if (!entries || entries.length === 0)
    return (
      <div className="ps-4">
        <Name name={name} />
        <Scalar value={value} />
      </div>
    )
  const isArray = Array.isArray(value)
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex min-h-6 items-center gap-0.5 rounded-md text-start"
      >
        <ChevronRight className={cx('size-3.5 text-faint', isOpen && 'rotate-90')} aria-hidden="true" />
        <span>
          <Name name={name} />
          <span className="text-muted">
            {isArray ? '[' : '{'}
            {isOpen ? '' : `… ${entries.length}${isArray ? ']' : '}'}`}
          </span>
        </span>
      </button>
      {isOpen && (
        <div className="ms-1.5 border-s border-line ps-2">
          {entries.map(([key, child]) => (
            <JsonNode key={key} {...(!isArray && { name: key })} value={child} depth={depth + 1} />
          ))}
        </div>
      )}
      {isOpen && <div className="ps-4 text-muted">{isArray ? ']' : '}'}</div>}
    </div>
  )
}

const entriesOf = (value: unknown): [string, unknown][] | null =>
  typeof value === 'object' && value !== null ? Object.entries(value) : null

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : <span className="text-muted">{name}: </span>

const Scalar = ({ value }: { value: unknown }) => {
  if (typeof value !== 'string') return <span className="text-info">{JSON.stringify(value)}</span>
  const text = value.replace(TOKEN, '$1…')
  return (
    <span className={cx('whitespace-pre-wrap', REDACTED.test(text) ? 'text-warn' : 'text-good')}>
      {JSON.stringify(text)}
    </span>
  )
}
