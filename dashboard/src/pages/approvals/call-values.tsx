import {
  type ApprovalValue,
  compareValues,
  foldingOf,
  isComparable,
  valuesOf,
} from '@carabiner/contract/approval-values'
import { hasHidden, mixedWords } from '@carabiner/contract/hidden-characters'
import type { Approval, ApprovalCall } from '@carabiner/sdk'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Revealed, RevealedBlock } from '../../ui/data/revealed.tsx'
import { PageLink } from '../../ui/page-link.tsx'

/** The name of raw requests, whose arguments are the request. */
const RAW_REQUEST = 'request'

type Props = {
  approval: Approval
  call: ApprovalCall
  /** Paths of the folded values that the person has opened. */
  opened: ReadonlySet<string>
  onOpen: (path: string) => void
}

/** Every argument, and the request. Nothing in the boxes is a text of this page. */
export const CallValues = ({ approval, call, opened, onOpen }: Props) => {
  const values = useMemo(() => valuesOf(call.arguments, call.roles), [call])
  const { changed, gone } = useMemo(
    () => compareValues(values, call.previous ? valuesOf(call.previous.arguments, call.roles) : values),
    [values, call],
  )
  return (
    <>
      <Preview call={call} />
      <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <h3 className="text-sm font-semibold">Arguments</h3>
        <Previous call={call} isChanged={changed.size + gone.length > 0} />
        {values.length + gone.length === 0 ? (
          <p className="text-sm text-muted">The call has no arguments.</p>
        ) : (
          <ul aria-label="Arguments" className="grid grid-cols-[minmax(0,1fr)] gap-3">
            {values.map(value => (
              <li key={value.path}>
                <Value value={value} isOpen={opened.has(value.path)} onOpen={() => onOpen(value.path)} />
                <Change of={changed.get(value.path)} />
              </li>
            ))}
            {gone.map(value => (
              <li key={value.path} className="grid gap-1">
                <p className="font-mono text-xs font-medium">
                  <Revealed text={value.path} />
                </p>
                <p className="rounded-control border border-dashed border-line px-3 py-2 text-xs text-muted">
                  Not there this time
                </p>
                <Change of={value} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <RequestView request={call.request} isOpen={approval.tool === RAW_REQUEST} />
    </>
  )
}

/** What was approved and carried out before. */
const Previous = ({ call: { previous }, isChanged }: { call: ApprovalCall; isChanged: boolean }) => {
  if (!previous) return null
  const { carried_out_at: at, is_same: isSame, approval_id: id } = previous
  if (!isSame && !isChanged) return null
  return (
    <p
      className={cx(
        'rounded-control px-3 py-2 text-xs',
        isSame ? 'bg-warn-soft text-warn' : 'bg-hover text-muted',
      )}
    >
      <PageLink path={`/approvals?approval=${id}`} className="underline">
        {isSame ? 'The same call was already carried out' : 'Differences from the last approved call'}
      </PageLink>
      {isSame ? ', ' : ' ('}
      <RelativeTime at={at} />
      {isSame ? '.' : ') are marked.'}
    </p>
  )
}

/** `of`: the earlier value; undefined: it was the same; null: there was none. */
const Change = ({ of }: { of: ApprovalValue | null | undefined }) =>
  of !== undefined && (
    <p className="mt-1 text-xs text-info">
      {of === null ? (
        'Not there last time'
      ) : isComparable(of) ? (
        <>
          Last time: <Revealed text={of.text} />
        </>
      ) : (
        'Different from last time'
      )}
    </p>
  )

/** What the arguments refer to, as the provider has returned it. */
const Preview = ({ call: { preview, connector_name: connector } }: { call: ApprovalCall }) => {
  if (preview.length === 0) return null
  const fields = preview.flatMap((each, source) => each.fields.map(field => ({ ...field, source })))
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h3 className="text-sm font-semibold">
        Details from <Revealed text={connector} />
      </h3>
      {fields.length > 0 && (
        <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
          {fields.map(({ source, label, text }) => (
            <div key={`${source} ${label}`} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="grid gap-0.5 font-medium">
                <Revealed text={text} />
                <MixedWords words={mixedWords(text)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {preview.some(({ is_loaded: isLoaded }) => !isLoaded) && (
        <p className="rounded-control bg-warn-soft px-3 py-2 text-xs text-warn">
          Some details could not be loaded, so the arguments show identifiers only.
        </p>
      )}
    </section>
  )
}

const KINDS: Record<ApprovalValue['kind'], string> = {
  text: '',
  number: 'Number',
  boolean: 'True or false',
  null: 'No value',
  list: 'Empty list',
  object: 'Empty object',
  json: 'JSON',
}

const ROLES: Record<NonNullable<ApprovalValue['role']>, string> = {
  recipient: 'Recipient',
  amount: 'Amount',
  target: 'Target',
  text: 'Text',
  file: 'File',
}

type ValueProps = { value: ApprovalValue; isOpen: boolean; onOpen: () => void }

const Value = ({ value: { path, kind, text, role, folded }, isOpen, onOpen }: ValueProps) => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
    <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-xs">
      <span className="font-mono font-medium">
        {path === '' ? 'All arguments' : <Revealed text={path} />}
      </span>
      <span className="text-muted">{[role && ROLES[role], KINDS[kind]].filter(Boolean).join(' · ')}</span>
    </p>
    {text === '' ? (
      <p className="rounded-control border border-dashed border-line px-3 py-2 text-xs text-muted">
        Empty text
      </p>
    ) : (
      <FoldableText
        text={text}
        label={path === '' ? 'All arguments' : path}
        isFolded={folded !== null && !isOpen}
        onOpen={onOpen}
      />
    )}
  </div>
)

const sizeOf = (text: string): string => {
  const size = `${text.length.toLocaleString()} characters`
  return foldingOf(text) === 'binary' ? `Encoded or binary data, ${size}` : size
}

type FoldableProps = { text: string; label: string; isFolded: boolean; onOpen: () => void }

const FoldableText = ({ text, label, isFolded, onOpen }: FoldableProps) => {
  const wasFolded = useRef(isFolded).current
  const containsHidden = useMemo(() => !isFolded && hasHidden(text), [text, isFolded])
  const mixed = useMemo(() => (isFolded ? [] : mixedWords(text)), [text, isFolded])
  if (isFolded)
    return (
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 rounded-control border border-dashed border-line-strong px-3 py-2 text-xs text-muted">
        {sizeOf(text)}, not opened yet
        <Button size="sm" onClick={onOpen} aria-label={`Show all of ${label}`}>
          Show all
        </Button>
      </div>
    )
  return (
    <>
      <RevealedBlock
        text={text}
        label={label}
        isScrollable={foldingOf(text) !== null}
        takesFocus={wasFolded}
      />
      {containsHidden && (
        <p className="text-xs text-warn">Contains hidden or unusual characters. They are marked with ⟨ ⟩.</p>
      )}
      <MixedWords words={mixed} />
    </>
  )
}

const MixedWords = ({ words }: { words: readonly string[] }) =>
  words.length > 0 && (
    <p className="text-xs font-normal text-warn">
      Mixes letters of different alphabets, which can look alike:{' '}
      <Revealed text={shorten(words.join(', '))} />
    </p>
  )

const MAX_WORDS_LENGTH = 80
const shorten = (words: string): string =>
  words.length > MAX_WORDS_LENGTH ? `${words.slice(0, MAX_WORDS_LENGTH)}…` : words

/** The request as it is sent. Only raw requests show it at once, because elsewhere the connector file makes it from the arguments. */
const RequestView = ({ request, isOpen }: { request: ApprovalCall['request']; isOpen: boolean }) => {
  const [isShown, setShown] = useState(isOpen)
  const { method, url, headers, body } = request
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h3 className="text-sm font-semibold">
        <button
          type="button"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
          className="-ms-1 inline-flex min-h-8 items-center gap-1 rounded-md pe-1 max-md:min-h-11"
        >
          <ChevronRight
            className={isShown ? 'size-4 rotate-90 text-faint' : 'size-4 text-faint'}
            aria-hidden="true"
          />
          Request as it will be sent
        </button>
      </h3>
      {isShown && (
        <>
          <Part title={method === 'tools/call' ? 'MCP server' : 'Method and URL'}>
            <RequestText text={`${method} ${url}`} label="Method and URL" />
          </Part>
          {lines.length > 0 && (
            <Part title="Headers, without the credential">
              <RequestText text={lines.join('\n')} label="Headers" />
            </Part>
          )}
          {body !== null && body !== '' && (
            <Part title="Body">
              <RequestText text={body} label="Body" />
            </Part>
          )}
        </>
      )}
    </section>
  )
}

const RequestText = ({ text, label }: { text: string; label: string }) => {
  const [isOpen, setOpen] = useState(false)
  const folded = foldingOf(text)
  return (
    <FoldableText
      text={text}
      label={label}
      isFolded={folded !== null && !isOpen}
      onOpen={() => setOpen(true)}
    />
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
    <h4 className="text-xs font-medium text-muted">{title}</h4>
    {children}
  </div>
)
