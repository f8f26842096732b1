import { setTimeout as delay } from 'node:timers/promises'
import type { Message, Model, ModelOutput, Tool, ToolCall } from './model.ts'

const HELP =
  'I can look after your notes. Try “List my notes”, “Find notes about kitchen” or “Add a note: call Marta”.'
/** Between two words, so that one can see it stream. */
const PACE = 24

/**
 * A model that needs no key and no network, and says the same every time: enough to see an agent call tools. Everything
 * around it is as it would be with a real one.
 */
export const createScriptedModel = (pace = PACE): Model => ({
  name: 'Scripted model',
  answer: async function* (messages, tools, signal) {
    const last = messages.at(-1)
    const turn = last?.role === 'tool' ? { text: tell(last.call, last.text) } : understand(last, tools)
    if (turn.text) yield* speak(turn.text, pace, signal)
    if ('call' in turn) yield { type: 'call', call: { id: `call_${messages.length}`, ...turn.call } }
  },
})

type Turn = { text: string; call: Omit<ToolCall, 'id'> } | { text: string }

const understand = (last: Message | undefined, tools: Tool[]): Turn => {
  const said = last?.role === 'user' ? last.text.trim() : ''
  const toolFor = (suffix: string) => tools.find(({ name }) => name.endsWith(suffix))?.name
  const list = toolFor('__list_notes')
  const create = toolFor('__create_note')

  const added = /^(?:please )?(?:add|create|write|make)(?: me)?(?: a)? note\b\W*(.*)/is
    .exec(said)?.[1]
    ?.trim()
  if (added && create) {
    const [title = added, ...rest] = added.split(/\n|: |\. /)
    return {
      text: 'I’ll write that down.',
      call: { name: create, arguments: { title: title.slice(0, 200), text: rest.join('\n') || added } },
    }
  }
  const about = /\bnotes?\b.*?\b(?:about|with|on|containing)\s+(.+?)[.?!]*$/is.exec(said)?.[1]
  if (list && /\bnotes?\b/i.test(said) && !/^(?:please )?add/i.test(said))
    return { text: 'Let me look.', call: { name: list, arguments: about ? { query: about } : {} } }
  if (!list)
    return { text: 'There is no tool here that I could use. Add the Notes connector to the Tool Pack.' }
  return { text: HELP }
}

type Note = { title: string; text: string }

/** What a tool answered, in words. */
const tell = ({ name }: ToolCall, answer: string): string => {
  const { notes, title, error } = parse(answer)
  if (error) return `That did not work: ${error.message ?? 'the tool gave no reason'}`
  if (name.endsWith('__create_note')) return `Done. “${title}” is in your notes.`
  if (!notes || notes.length === 0) return 'There are no such notes.'
  const lines = notes.map(note => `• ${note.title}: ${firstSentence(note.text)}`)
  return `You have ${notes.length === 1 ? 'one note' : `${notes.length} notes`}:\n${lines.join('\n')}`
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text

const parse = (answer: string): { notes?: Note[]; title?: string; error?: { message?: string } } => {
  try {
    return JSON.parse(answer) as object
  } catch {
    return { error: { message: answer } }
  }
}

async function* speak(text: string, pace: number, signal: AbortSignal): AsyncIterable<ModelOutput> {
  for (const word of text.match(/\S+\s*/g) ?? []) {
    yield { type: 'text', text: word }
    await delay(pace, undefined, { signal })
  }
}
