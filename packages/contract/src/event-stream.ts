/** A server-sent event. An event without data may still carry the ID to resume from or the retry delay. */
export type ServerEvent = { data: string; id: string | null; retryMs: number | null }

/** Searches only the new text for line ends, so that a line that arrives byte by byte is not scanned repeatedly. */
const createLineSplitter = (): ((text: string) => string[]) => {
  let partial: string[] = []
  let endedInReturn = false
  return chunk => {
    const text = endedInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    if (chunk !== '') endedInReturn = text.endsWith('\r')
    const lines = text.split(/\r\n|\r|\n/)
    const last = lines.pop() ?? ''
    if (lines.length > 0) {
      lines[0] = partial.join('') + lines[0]
      partial = []
    }
    partial.push(last)
    return lines
  }
}

/** WHATWG HTML §9.2.6. The caller limits size and time. Throws on text that is not UTF-8. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const split = createLineSplitter()
  let data: string[] = []
  let id: string | null = null
  let retryMs: number | null = null
  for await (const chunk of chunks) {
    for (const line of split(decoder.decode(chunk, { stream: true }))) {
      if (line === '') {
        if (data.length > 0 || id !== null || retryMs !== null) yield { data: data.join('\n'), id, retryMs }
        data = []
        id = null
        retryMs = null
        continue
      }
      const colon = line.indexOf(':')
      const field = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'data') data.push(value)
      else if (field === 'id' && !value.includes('\0')) id = value
      else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value)
    }
  }
}
