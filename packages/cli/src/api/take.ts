/** The first `limit` items of a paginated list. Pages are fetched as needed. */
export const take = async <T>(pages: AsyncIterable<T>, limit: number): Promise<T[]> => {
  const items: T[] = []
  for await (const item of pages) {
    items.push(item)
    if (items.length >= limit) break
  }
  return items
}

/** The page size for a list of at most `limit` items. */
export const pageSize = (limit: number): number => Math.min(limit, 100)
