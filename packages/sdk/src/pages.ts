/** Of each page: 1 to 100. */
export type PageOptions = { limit?: number }
export type Page<T> = { data: T[]; next_cursor: string | null }

/** A list of any length: `for await (const user of users)` reads page by page; `page()` reads one. */
export type Pages<T> = AsyncIterable<T> & { page: (cursor?: string) => Promise<Page<T>> }

export const createPages = <T>(page: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> => ({
  page: cursor => page(cursor),
  async *[Symbol.asyncIterator]() {
    for (let cursor: string | undefined; ; ) {
      const { data, next_cursor } = await page(cursor)
      yield* data
      // A list that names the page it has just given would never end.
      if (next_cursor === null || next_cursor === cursor) return
      cursor = next_cursor
    }
  },
})
