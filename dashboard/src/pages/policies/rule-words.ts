import type { ApproverType, ToolEffect } from '@carabiner/contract'
import type { Tone } from '../../ui/data/badge.tsx'
import type { RuleKind } from './rule-draft.ts'

export const EFFECTS: Record<RuleKind, { label: string; tone: Tone; hint: string }> = {
  deny: { label: 'Deny', tone: 'bad', hint: 'The call does not run.' },
  ask: { label: 'Ask', tone: 'info', hint: 'The call runs once a person has approved it.' },
  allow: { label: 'Allow', tone: 'good', hint: 'The call runs, unless another rule is stricter.' },
  hook: {
    label: 'Hook',
    tone: 'accent',
    hint: 'Your endpoint decides about each call: deny, ask or allow.',
  },
}

export const APPROVERS: Record<ApproverType, { label: string; hint: string }> = {
  members: { label: 'Members', hint: 'Administrators and security members, in the dashboard' },
  user: { label: 'The user', hint: 'The user whose call it is' },
  account_owner: { label: 'The owner of the account', hint: 'If another user shares the account' },
}

export const TOOL_EFFECTS: Record<ToolEffect, string> = {
  sends: 'Sends a message to people',
  shares: 'Gives people access',
  pays: 'Moves or spends money',
  deletes: 'Deletes something',
  suspends: 'Ends or interrupts access',
  irreversible: 'Cannot be undone',
}

/** "gmail__*" as "All tools of Gmail". */
export const toolLabel = (tool: string, connectorName: (slug: string) => string): string => {
  if (tool === '*') return 'All tools'
  return tool.endsWith('__*') ? `All tools of ${connectorName(tool.slice(0, -3))}` : tool
}
