import { type Static, Type } from 'typebox'

/** Consequences of a call that reach beyond an ordinary change in the user's own account. */
export const toolEffects = ['sends', 'shares', 'pays', 'deletes', 'suspends', 'irreversible'] as const

const MEANING =
  '`sends`: delivers a message to people. `shares`: gives people access. `pays`: moves or spends money. `deletes`: removes something or replaces its whole content, even if it can be restored. `suspends`: ends or interrupts access of people, or something that runs. `irreversible`: cannot be undone.'

const effectList = (description: string) =>
  Type.Array(Type.Enum(toolEffects), { uniqueItems: true, description })

/** In a connector file. */
export const ToolEffects = effectList(
  `Required unless the tool is read-only; empty if it has none of these. ${MEANING}`,
)
export type ToolEffect = Static<typeof ToolEffects>[number]

/** The rule behind the destructive hint of MCP, at which clients ask before a call: a tool with any effect has it. */
export const isDestructive = (effects: readonly ToolEffect[]): boolean => effects.length > 0

/** Effects of a tool in the API. MCP servers do not declare effects, only hints. */
export const ShownEffects = Type.Union([effectList(MEANING), Type.Null()], {
  description:
    'Effects of a tool of a connector file; a tool with any effect has the destructive hint. Null for tools of MCP servers, which declare hints only.',
})

type Expected = readonly [ToolEffect, ...ToolEffect[]]

/** Verbs of tool names, as the first or the last word: `cancel_order`, `orders_cancel`. */
const VERBS: [words: string, effects: Expected][] = [
  ['send resend remind notify', ['sends']],
  ['unshare publish', ['shares']],
  ['pay', ['pays']],
  ['delete destroy trash clear purge erase wipe replace', ['deletes']],
  ['remove', ['deletes', 'suspends']],
  ['cancel suspend deactivate disable revoke terminate', ['suspends']],
  ['merge', ['irreversible']],
]
/** Verbs that are nouns too, so they count only as the first word, or as the word after `create`: `refund_order`, `create_refund`. */
const NOUNS: [words: string, effects: Expected][] = [
  ['reply forward invite broadcast message invitation', ['sends']],
  ['share grant', ['shares']],
  ['refund charge capture transfer payout purchase', ['pays']],
  ['void block ban kick stop', ['suspends']],
]

/**
 * The effects that the name and the method of a writing tool suggest, the likeliest first; such a tool has at least one of
 * them. Empty if they suggest none.
 */
export const suggestedEffects = (name: string, method: string): readonly ToolEffect[] => {
  const words = name.split('_')
  const [first = '', second = ''] = words
  const found =
    effectsOf(VERBS, first) ??
    effectsOf(NOUNS, first === 'create' ? second : first) ??
    effectsOf(VERBS, words.at(-1) ?? '')
  return found ?? (method === 'DELETE' ? ['deletes', 'suspends'] : [])
}

const effectsOf = (table: [words: string, effects: Expected][], word: string): Expected | undefined =>
  table.find(([words]) => words.split(' ').includes(word))?.[1]
