import { setTimeout as delay } from 'node:timers/promises'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'

const HELP =
  'I can look after your notes. Try “List my notes”, “Find notes about kitchen” or “Add a note: call Marta”.'
/** Delay between two words, which makes the streaming visible. */
const WORD_DELAY_MS = 24

/**
 * A deterministic model that needs no key and no network, and calls tools. Everything else in the example works as with a
 * real model.
 */
export const createScriptedModel = (wordDelay = WORD_DELAY_MS): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: 'orbit',
  modelId: 'Scripted model',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The scripted model only streams.')),
  doStream: async options => ({ stream: ReadableStream.from(answer(options, wordDelay)) }),
})

const USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

async function* answer(
  { prompt, tools = [], abortSignal }: LanguageModelV4CallOptions,
  wordDelay: number,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const names = tools.map(({ name }) => name)
  const last = prompt.at(-1)
  const result = last?.role === 'tool' ? last.content.find(part => part.type === 'tool-result') : undefined
  const turn: Turn = result
    ? { text: describeResult(result.toolName, result.output.type === 'text' ? result.output.value : '') }
    : planTurn(last?.role === 'user' ? last.content : [], names)
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: 'text' }
  for (const delta of turn.text.match(/\S+\s*/g) ?? []) {
    yield { type: 'text-delta', id: 'text', delta }
    await delay(wordDelay, undefined, abortSignal && { signal: abortSignal })
  }
  yield { type: 'text-end', id: 'text' }
  const { call } = turn
  if (call)
    yield {
      type: 'tool-call',
      toolCallId: `call_${prompt.length}`,
      toolName: call.name,
      input: JSON.stringify(call.arguments),
    }
  yield {
    type: 'finish',
    usage: USAGE,
    finishReason: { unified: call ? 'tool-calls' : 'stop', raw: undefined },
  }
}

type Turn = { text: string; call?: { name: string; arguments: object } }

const planTurn = (content: readonly { type: string; text?: string }[], tools: string[]): Turn => {
  const prompt = content
    .map(({ text = '' }) => text)
    .join('')
    .trim()
  const findTool = (suffix: string) => tools.find(name => name.endsWith(suffix))
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
const describeResult = (name: string, resultText: string): string => {
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
