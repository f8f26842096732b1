import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { ToolBadges } from '../tool-badges.tsx'
import type { SaveProblem } from './save-problem.ts'
import { chooseTool, findTool, type Selection, type ToolDefinition } from './selection.ts'

const ToolDialog = lazy(() => import('./tool-dialog.tsx'))

type Props = {
  tool: ToolDefinition
  connector: { slug: string; tools: readonly string[] }
  all: readonly string[]
  selection: Selection
  onChange: (selection: Selection) => void
  isReadOnly: boolean
  /** What the service has rejected for this tool. Its settings open, so that it can be corrected. */
  problem: SaveProblem | null
}

export const ToolRow = ({ tool, connector, all, selection, onChange, isReadOnly, problem }: Props) => {
  const [isEditing, setEditing] = useState(false)
  useEffect(() => {
    if (problem) setEditing(true)
  }, [problem])
  const chosen = findTool(selection, connector.slug, tool.name)
  const isCustomized = chosen !== undefined && Object.keys(chosen).some(key => key !== 'name')
  return (
    <li className="flex items-start gap-3 py-1">
      <div className="min-w-0 flex-1">
        <Checkbox
          isChecked={chosen !== undefined}
          isDisabled={isReadOnly}
          onChange={isChecked =>
            onChange(
              chooseTool(
                selection,
                all,
                connector,
                isChecked ? { name: tool.name } : { name: tool.name, isRemoved: true },
              ),
            )
          }
        >
          <span className="grid gap-0.5">
            <span className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-xs">{tool.name}</code>
              <ToolBadges annotations={tool.annotations} effects={tool.effects} />
              {isCustomized && <Badge tone="info">Customized</Badge>}
            </span>
            <span className="line-clamp-2 text-xs text-muted">{chosen?.description ?? tool.description}</span>
          </span>
        </Checkbox>
      </div>
      {chosen && !isReadOnly && (
        <Button size="sm" kind="quiet" onClick={() => setEditing(true)} aria-label={`Customize ${tool.name}`}>
          Customize
        </Button>
      )}
      <Suspense>
        {isEditing && chosen && (
          <ToolDialog
            tool={tool}
            chosen={chosen}
            slug={connector.slug}
            rejected={problem}
            onClose={() => setEditing(false)}
            onSave={next => {
              onChange(chooseTool(selection, all, connector, next))
              setEditing(false)
            }}
          />
        )}
      </Suspense>
    </li>
  )
}
