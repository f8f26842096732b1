/** One server-sent event. An event without data still carries the id to resume from, or how long to wait first. */
export type ServerEvent = { data: string; id: string | null; retryMs: number | null }

/** Looks for ends of lines in what is new only: a line that comes byte by byte is not read again and again. */
const createLineSplitter = (): ((text: string) => string[]) => {
  let unfinished: string[] = []
  let endedInReturn = false
  return given => {
    const text = endedInReturn && given.startsWith('\n') ? given.slice(1) : given
    if (given !== '') endedInReturn = text.endsWith('\r')
    const lines = text.split(/\r\n|\r|\n/)
    const last = lines.pop() ?? ''
    if (lines.length > 0) {
      lines[0] = unfinished.join('') + lines[0]
      unfinished = []
    }
    unfinished.push(last)
    return lines
  }
}

/** WHATWG HTML §9.2.6. The bytes are capped and timed by whoever sends them here; text that is not UTF-8 throws. */
export async function* readEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent, void> {
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
