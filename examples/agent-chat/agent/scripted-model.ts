import { setTimeout as delay } from 'node:timers/promises'
import type { Message, Model, ModelOutput, Tool, ToolCall } from './model.ts'

const HELP =
  'I can look after your notes. Try “List my notes”, “Find notes about kitchen” or “Add a note: call Marta”.'
/** Delay between two words, which makes the streaming visible. */
const WORD_DELAY_MS = 24

/**
 * A deterministic model that needs no key and no network, and calls tools. Everything else in the example works as with a
 * real model.
 */
export const createScriptedModel = (wordDelay = WORD_DELAY_MS): Model => ({
  name: 'Scripted model',
  answer: async function* (messages, tools, signal) {
    const last = messages.at(-1)
    const turn =
      last?.role === 'tool' ? { text: describeResult(last.call, last.text) } : planTurn(last, tools)
    if (turn.text) yield* streamWords(turn.text, wordDelay, signal)
    if ('call' in turn) yield { type: 'call', call: { id: `call_${messages.length}`, ...turn.call } }
  },
})

type Turn = { text: string; call: Omit<ToolCall, 'id'> } | { text: string }

const planTurn = (last: Message | undefined, tools: Tool[]): Turn => {
  const prompt = last?.role === 'user' ? last.text.trim() : ''
  const findTool = (suffix: string) => tools.find(({ name }) => name.endsWith(suffix))?.name
  const list = findTool('__list_notes')
  const create = findTool('__create_note')

  const added = /^(?:please )?(?:add|create|write|make)(?: me)?(?: a)? note\b\W*(.*)/is
    .exec(prompt)?.[1]
    ?.trim()
  if (added && create) {
    const [title = added, ...rest] = added.split(/\n|: |\. /)
    return {
      text: 'I’ll write that down.',
      call: { name: create, arguments: { title: title.slice(0, 200), text: rest.join('\n') || added } },
    }
  }
  const about = /\bnotes?\b.*?\b(?:about|with|on|containing)\s+(.+?)[.?!]*$/is.exec(prompt)?.[1]
  if (list && /\bnotes?\b/i.test(prompt) && !/^(?:please )?add/i.test(prompt))
    return { text: 'Let me look.', call: { name: list, arguments: about ? { query: about } : {} } }
  if (!list) return { text: 'I have no tool for this. Add the Notes connector to the Tool Pack.' }
  return { text: HELP }
}

type Note = { title: string; text: string }

/** Describes the result of a tool call in words. */
const describeResult = ({ name }: ToolCall, resultText: string): string => {
  const { notes, title, error } = parse(resultText)
  if (error) return `That did not work: ${error.message ?? 'the tool gave no reason'}`
  if (name.endsWith('__create_note')) return `Done. “${title}” is in your notes.`
  if (!notes || notes.length === 0) return 'There are no such notes.'
  const lines = notes.map(note => `• ${note.title}: ${firstSentence(note.text)}`)
  return `You have ${notes.length === 1 ? 'one note' : `${notes.length} notes`}:\n${lines.join('\n')}`
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text

const parse = (resultText: string): { notes?: Note[]; title?: string; error?: { message?: string } } => {
  try {
    return JSON.parse(resultText) as object
  } catch {
    return { error: { message: resultText } }
  }
}

async function* streamWords(
  text: string,
  wordDelay: number,
  signal: AbortSignal,
): AsyncIterable<ModelOutput> {
  for (const word of text.match(/\S+\s*/g) ?? []) {
    yield { type: 'text', text: word }
    await delay(wordDelay, undefined, { signal })
  }
}
