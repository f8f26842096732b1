import type { Connector, FoundTools } from '@carabiner/sdk'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { countTools, useConnectorTools } from '../../api/use-connectors.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { ConnectorLogo } from '../../ui/data/connector-logo.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { ConnectorSummary } from './connector-summary.tsx'
import type { AccountRule, SaveProblem } from './save-problem.ts'
import {
  chooseConnector,
  findRequests,
  isConnectorChosen,
  type Selection,
  type ToolDefinition,
} from './selection.ts'
import { ToolRow } from './tool-row.tsx'

type Props = {
  connector: Connector
  /** The tools that match the search. */
  found: FoundTools['data'][number] | undefined
  all: readonly string[]
  selection: Selection
  onChange: (selection: Selection) => void
  isReadOnly: boolean
  rule: AccountRule | undefined
  /** Opens the raw requests and the account rule. */
  onEdit: () => void
  /** What the service has rejected for this connector. */
  problem: SaveProblem | null
}

const STATES = { all: 'All tools', some: 'Some tools', none: 'Not in the pack' }

/** One connector. It opens automatically if tools match the search; otherwise its tools are loaded when it is opened. */
export const ConnectorBranch = ({ connector, found, rule, onEdit, ...rest }: Props) => {
  const { all, selection, onChange, isReadOnly, problem } = rest
  /** Undefined: as the search decides. */
  const [choice, setChoice] = useState<'open' | 'closed' | undefined>()
  const isOpen =
    problem?.tool !== undefined || (choice === undefined ? found !== undefined : choice === 'open')
  const [showsAll, setShowsAll] = useState(false)
  const { slug, name, tool_count } = connector
  const chosen = isConnectorChosen(selection, slug)
  const requests = findRequests(selection, slug)
  return (
    <li className="grid">
      <div className="flex items-center gap-3 px-4.5 py-3 md:px-5">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setChoice(isOpen ? 'closed' : 'open')}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-3 rounded-md text-start max-md:min-h-11"
        >
          <ChevronRight
            className={cx('size-4 shrink-0 text-faint', isOpen && 'rotate-90')}
            aria-hidden="true"
          />
          <ConnectorLogo connector={connector} />
          <span className="grid min-w-0">
            <span className="text-sm font-medium">{name}</span>
            <span className="text-xs text-muted">
              {tool_count === null ? 'Lists tools once an account is connected' : countTools(tool_count)} ·{' '}
              {chosen === 'none' && requests ? 'Raw requests only' : STATES[chosen]}
            </span>
          </span>
        </button>
        <Switch
          label={name}
          isLabelHidden
          isOn={chosen !== 'none' || requests !== undefined}
          isDisabled={isReadOnly}
          onChange={isOn => onChange(chooseConnector(selection, all, slug, isOn))}
        />
      </div>
      {isOpen && (
        <div className="border-t border-line bg-ground">
          {found && !showsAll ? (
            <>
              <ToolRows connector={{ slug, name, tools: found.tool_names }} tools={found.tools} {...rest} />
              {found.tools.length < found.tool_names.length && (
                <div className="px-4.5 pb-3 md:ps-13">
                  <Button size="sm" kind="quiet" onClick={() => setShowsAll(true)}>
                    Show all {countTools(found.tool_names.length)} of {name}
                  </Button>
                </div>
              )}
            </>
          ) : (
            <AllTools connector={connector} {...rest} />
          )}
          <ConnectorSummary
            name={name}
            settings={{ requests, rule }}
            onEdit={isReadOnly ? undefined : onEdit}
          />
        </div>
      )}
    </li>
  )
}

const AllTools = ({ connector: { slug, name }, ...rest }: TreeProps & { connector: Connector }) => {
  const { data, error } = useConnectorTools(slug)
  if (error)
    return (
      <div className="px-5 py-4">
        <ErrorNote error={error} />
      </div>
    )
  if (!data) return <SkeletonRows label={`Loading the tools of ${name}`} rows={3} />
  if (data.tools.length === 0)
    return (
      <p className="px-5 py-4 text-sm text-muted">
        This server lists its tools only after a user has connected an account. Until then, you can choose
        only all or none.
      </p>
    )
  const tools = data.tools.map(tool => tool.name)
  return <ToolRows connector={{ slug, name, tools }} tools={data.tools} {...rest} />
}

type TreeProps = Pick<Props, 'all' | 'selection' | 'onChange' | 'isReadOnly' | 'problem'>

type RowsProps = TreeProps & {
  /** `tools`: all of them. */
  connector: { slug: string; name: string; tools: readonly string[] }
  tools: readonly ToolDefinition[]
}

const ToolRows = ({ connector, tools, problem, ...rest }: RowsProps) => (
  <ul aria-label={`Tools of ${connector.name}`} className="grid gap-1 px-4.5 py-3 md:ps-13">
    {tools.map(tool => (
      <ToolRow
        key={tool.name}
        tool={tool}
        connector={connector}
        problem={problem?.tool === tool.name ? problem : null}
        {...rest}
      />
    ))}
  </ul>
)
