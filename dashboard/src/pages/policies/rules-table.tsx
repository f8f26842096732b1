import type { PolicyRule } from '@carabiner/sdk'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useConnectorName } from '../../api/use-connectors.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Revealed } from '../../ui/data/revealed.tsx'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { idOf } from '../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { mayAsk } from './rule-draft.ts'
import { APPROVERS, EFFECTS, toolLabel } from './rule-words.ts'

const EffectBadge = ({ effect }: Pick<PolicyRule, 'effect'>) => (
  <Badge tone={EFFECTS[effect ?? 'hook'].tone}>{EFFECTS[effect ?? 'hook'].label}</Badge>
)

const Name = ({ rule }: { rule: PolicyRule }) => (
  <span className="min-w-0 wrap-anywhere">
    <Revealed text={rule.name} />
  </span>
)

const SHOWN_TOOLS = 2

const Tools = ({ tools }: Pick<PolicyRule, 'tools'>) => {
  const connectorName = useConnectorName()
  return (
    <span className="grid min-w-0 gap-0.5 text-xs">
      {tools.slice(0, SHOWN_TOOLS).map(tool => (
        <span key={tool} className="wrap-anywhere">
          <Revealed text={toolLabel(tool, connectorName)} />
        </span>
      ))}
      {tools.length > SHOWN_TOOLS && (
        <span className="text-muted">and {tools.length - SHOWN_TOOLS} more</span>
      )}
    </span>
  )
}

const Condition = ({ when }: Pick<PolicyRule, 'when'>) =>
  when === null ? (
    <span className="text-xs text-muted">Every call</span>
  ) : (
    <code className="line-clamp-2 font-mono text-xs wrap-anywhere">
      <Revealed text={when} />
    </code>
  )

const approversOf = ({ effect, approvers, step_up, prevent_self_approval }: PolicyRule): string => {
  if (!mayAsk({ effect: effect ?? 'hook' })) return '—'
  const names = approvers.map(type => APPROVERS[type].label)
  return [
    ...names,
    ...(step_up ? ['with a passkey'] : []),
    ...(prevent_self_approval ? ['not the user'] : []),
  ].join(', ')
}

const COLUMNS: readonly Column<PolicyRule>[] = [
  { id: 'name', header: 'Rule', cell: rule => <Name rule={rule} />, sortBy: ({ name }) => name },
  {
    id: 'effect',
    header: 'Effect',
    cell: EffectBadge,
    sortBy: ({ effect }) => EFFECTS[effect ?? 'hook'].label,
  },
  { id: 'tools', header: 'Tools', isWide: true, cell: Tools },
  { id: 'when', header: 'Condition', isWide: true, cell: Condition },
  { id: 'approvers', header: 'Approved by', isWide: true, cell: approversOf },
]

/** A rule on a phone. */
const ruleCard = (rule: PolicyRule): ReactNode => (
  <span className="grid w-full min-w-0 gap-2 text-start font-normal">
    <span className="flex items-start justify-between gap-3">
      <span className="min-w-0 font-medium">
        <Name rule={rule} />
      </span>
      <EffectBadge effect={rule.effect} />
    </span>
    <Tools tools={rule.tools} />
    <Condition when={rule.when} />
    {mayAsk({ effect: rule.effect ?? 'hook' }) && (
      <span className="text-xs text-muted">Approved by: {approversOf(rule)}</span>
    )}
  </span>
)

export const RulesTable = ({ rules, isOfPack }: { rules: PolicyRule[]; isOfPack: boolean }) => {
  const router = useRouter()
  const { organization, mode } = useScope()
  if (rules.length === 0)
    return (
      <EmptyState
        title="No rules yet"
        action={
          <a href="/docs/guides/policies" className={buttonClass()}>
            Read the guide
          </a>
        }
      >
        {isOfPack
          ? 'The organization’s policy decides about calls of this Tool Pack.'
          : 'The default applies to every call. Begin with a starter policy, or add a rule of your own.'}
      </EmptyState>
    )
  const renderOpener = ({ id }: PolicyRule, content: ReactNode, className: string) => {
    const href = `/dashboard/o/${organization}/${mode}/policies/${id}`
    return (
      <a
        href={href}
        className={className}
        onClick={event => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
          event.preventDefault()
          void router.navigate({ href })
        }}
      >
        {content}
      </a>
    )
  }
  return (
    <Table
      label="Rules"
      rows={rules}
      columns={COLUMNS}
      card={ruleCard}
      rowKey={idOf}
      renderOpener={renderOpener}
    />
  )
}
