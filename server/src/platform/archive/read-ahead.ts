/** Requests the next value while the caller processes one, so that reading and processing overlap. */
export async function* readAhead<T, Result>(values: AsyncGenerator<T, Result>): AsyncGenerator<T, Result> {
  let next = values.next()
  for (;;) {
    const { done, value } = await next
    if (done) return value
    next = values.next()
    // The caller may stop; an error is then of no interest.
    next.catch(() => undefined)
    yield value
  }
}
