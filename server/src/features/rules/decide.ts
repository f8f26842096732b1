/** What an organization's rules say of a value on its way to a third party (`inbound`) or to the agent (`outbound`). */
export type Direction = 'inbound' | 'outbound'
export type RuleDecision = { action: 'pass'; value: unknown } | { action: 'block' }

/** No rule exists yet, so everything passes; the steps of a call ask here, and only here. */
export const decide = (_direction: Direction, value: unknown): RuleDecision => ({ action: 'pass', value })
