/** Requests the next value while the caller processes one, so that reading and processing overlap. */
export async function* readAhead<T, Result>(values: AsyncGenerator<T, Result>): AsyncGenerator<T, Result> {
  // The caller may stop early.
  await using source = values
  let next = source.next()
  for (;;) {
    const { done, value } = await next
    if (done) return value
    next = source.next()
    // If the caller stops, an error is of no interest.
    next.catch(() => undefined)
    yield value
  }
}
