import type { PolicyEffect } from '@carabiner/contract'
import { expressionOf, type Part } from './conditions/condition-parts.ts'
import type { RuleDraft } from './rule-draft.ts'

export type Starter = {
  id: string
  name: string
  detail: string
  effect: PolicyEffect
  /** None: the person chooses the tools that have the argument. */
  tools: string[]
  parts: Part[]
}

const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Rules of the organization to begin with. Incomplete parts are completed in the editor. */
export const starters = (): readonly Starter[] => [
  {
    id: 'destructive',
    name: 'Ask before destructive calls',
    detail:
      'A person approves whatever sends, pays, shares, deletes or suspends. Tools of MCP servers count as destructive.',
    effect: 'ask',
    tools: ['*'],
    parts: [{ kind: 'destructive' }],
  },
  {
    id: 'amount',
    name: 'Ask above an amount',
    detail: 'A person approves payments and orders above a limit.',
    effect: 'ask',
    tools: [],
    parts: [{ kind: 'argument', name: 'amount', comparison: '>', value: '100' }],
  },
  {
    id: 'domain',
    name: 'Deny recipients outside your domain',
    detail: 'Messages and invitations only go to addresses at domains that you name.',
    effect: 'deny',
    tools: [],
    parts: [{ kind: 'domain', name: 'to', isList: false, domains: '' }],
  },
  {
    id: 'messages',
    name: 'Ask before messages',
    detail: 'A person reads each message before it is sent.',
    effect: 'ask',
    tools: ['*'],
    parts: [{ kind: 'effect', effect: 'sends' }],
  },
  {
    id: 'rate',
    name: 'Deny more than 20 messages an hour',
    detail:
      'An agent that repeats itself cannot flood people: each user sends at most 20 messages within an hour.',
    effect: 'deny',
    tools: ['*'],
    parts: [
      { kind: 'effect', effect: 'sends' },
      { kind: 'count', calls: '20', period: '1h', effect: 'sends' },
    ],
  },
  {
    id: 'hours',
    name: 'Ask outside working hours',
    detail: 'Changes between 18:00 and 8:00 wait for a person. Reading is always possible.',
    effect: 'ask',
    tools: ['*'],
    parts: [{ kind: 'changes' }, { kind: 'time', from: 18, to: 8, zone: zone() }],
  },
  {
    id: 'deletions',
    name: 'Deny deletions by some users',
    detail: 'Users with a certain value in their metadata cannot delete anything.',
    effect: 'deny',
    tools: ['*'],
    parts: [
      { kind: 'effect', effect: 'deletes' },
      { kind: 'metadata', name: 'level', isEqual: true, value: 'trainee' },
    ],
  },
]

/** The fields of the rule that a starter policy proposes. */
export const draftOfStarter = (id: string | undefined): Partial<RuleDraft> => {
  const starter = starters().find(each => each.id === id)
  if (!starter) return {}
  const { name, effect, tools, parts } = starter
  return { name, effect, tools, parts, when: expressionOf(parts) }
}
