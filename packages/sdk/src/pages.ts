/** `limit`: page size, 1 to 100. */
export type PageOptions = { limit?: number }
export type Page<T> = { data: T[]; next_cursor: string | null }

/** A paginated list. `for await (const user of users)` fetches pages as needed; `page()` fetches one page. */
export type Pages<T> = AsyncIterable<T> & { page: (cursor?: string) => Promise<Page<T>> }

export const createPages = <T>(page: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> => ({
  page: cursor => page(cursor),
  async *[Symbol.asyncIterator]() {
    for (let cursor: string | undefined; ; ) {
      const { data, next_cursor } = await page(cursor)
      yield* data
      // A cursor that points to the current page would cause an endless loop.
      if (next_cursor === null || next_cursor === cursor) return
      cursor = next_cursor
    }
  },
})

/** A list that arrives in one response: await it as an array, or iterate over it like a paginated one. */
export type WholeList<T> = Promise<T[]> & AsyncIterable<T>

export const createWholeList = <T>(response: Promise<{ data: T[] }>): WholeList<T> => {
  const items = response.then(({ data }) => data)
  return Object.assign(items, {
    async *[Symbol.asyncIterator]() {
      yield* await items
    },
  })
}
