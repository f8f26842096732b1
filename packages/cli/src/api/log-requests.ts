import type { Terminal } from '../terminal/terminal.ts'

/** A `fetch` that prints each request, without headers, bodies and query values, which may contain secrets. */
export const logRequests =
  ({ notice }: Pick<Terminal, 'notice'>): typeof globalThis.fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const query = url.searchParams.size > 0 ? `?${[...new Set(url.searchParams.keys())].join('&')}` : ''
    const startedAt = performance.now()
    const print = (outcome: string): void =>
      notice(
        `${init?.method ?? 'GET'} ${url.origin}${url.pathname}${query}  ${outcome}  ${Math.round(performance.now() - startedAt)} ms`,
      )
    try {
      const response = await globalThis.fetch(input, init)
      const requestId = response.headers.get('x-request-id')
      print(`${response.status}${requestId ? `  ${requestId}` : ''}`)
      return response
    } catch (error) {
      print(`failed: ${(error as Error).message}`)
      throw error
    }
  }
