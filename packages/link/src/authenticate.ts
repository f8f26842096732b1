import { findAuthenticateMeta as find } from '@carabiner/contract/find-meta'
import { createLink as createRealLink } from './create-link.ts'
import { LinkError } from './link-error.ts'
import type { AuthenticateMeta, LinkAppearance, LinkCallbacks, LinkSuccess } from './types.ts'

/** Finds the payload in a tool result, a streamed event, a JSON-RPC response or JSON text. Never throws. */
export const findAuthenticateMeta: (value: unknown) => AuthenticateMeta | null = find

export type OnAuthenticateMetaOptions<Item = unknown> = LinkCallbacks &
  LinkAppearance & {
    /** Called with every event of the stream that precedes the payload. */
    onItem?: (item: Item) => void
    /** Replaces `createLink` in tests. */
    createLink?: typeof createRealLink
  }

export type Authenticated = LinkSuccess & { meta: AuthenticateMeta }

/**
 * Searches a tool result, or a stream of agent events, for an `authenticate_meta` payload. When it finds one, it stops reading
 * and opens Link. Resolves when the account is connected, or with `null` if there is no payload. Rejects with a `LinkError` if
 * linking fails; the code is `exited` if the user closed Link.
 */
export const onAuthenticateMeta = async <Item = unknown>(
  source: AsyncIterable<Item> | ReadableStream<Item> | Item,
  { onItem, createLink = createRealLink, ...options }: OnAuthenticateMetaOptions<Item> = {},
): Promise<Authenticated | null> => {
  const meta = await search(source, onItem)
  return (
    meta &&
    new Promise((resolve, reject) => {
      let wasShown = false
      const rejectWith = (error: LinkError): void => {
        link.destroy()
        reject(error)
      }
      const link = createLink({
        ...options,
        linkToken: meta.link_token,
        onLoad: () => {
          options.onLoad?.()
          link.open()
        },
        onEvent: (...event) => {
          options.onEvent?.(...event)
          // After Link is shown, `onExit` reports errors.
          if (event[0] === 'error' && !wasShown) rejectWith(event[1])
          if (event[0] === 'open') wasShown = true
        },
        onSuccess: success => {
          options.onSuccess?.(success)
          resolve({ ...success, meta })
        },
        onExit: error => {
          options.onExit?.(error)
          rejectWith(error ?? new LinkError('exited', 'The user closed Link.'))
        },
      })
    })
  )
}

const search = async <Item>(
  source: AsyncIterable<Item> | ReadableStream<Item> | Item,
  onItem: ((item: Item) => void) | undefined,
): Promise<AuthenticateMeta | null> => {
  const items = itemsOf<Item>(source)
  if (!items) return findAuthenticateMeta(source)
  for await (const item of items) {
    const meta = findAuthenticateMeta(item)
    // Returning from the loop cancels the stream.
    if (meta) return meta
    onItem?.(item)
  }
  return null
}

const itemsOf = <Item>(source: unknown): AsyncIterable<Item> | null => {
  if (source === null || typeof source !== 'object') return null
  if ('getReader' in source) return readAll(source as ReadableStream<Item>)
  return Symbol.asyncIterator in source ? (source as AsyncIterable<Item>) : null
}

/** Not every browser supports async iteration of a ReadableStream. */
async function* readAll<Item>(stream: ReadableStream<Item>): AsyncIterable<Item> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

export type RetryOptions = {
  /** Retries only if the payload is for this Connector. */
  Connector?: string
  /** Maximum number of runs. Default: 4. */
  tries?: number
  /** Milliseconds before the second run, doubled for each further one. Default: 500. */
  delay?: number
}

/** Repeats the prompt after success. Retries, because a tool call right after success may still return the payload. */
export const retryAfterLink = async <Result>(
  run: () => Result | Promise<Result>,
  { Connector, tries = 4, delay = 500 }: RetryOptions = {},
): Promise<Result> => {
  for (let remaining = tries - 1, delayMs = delay; ; remaining--, delayMs *= 2) {
    const result = await run()
    const meta = findAuthenticateMeta(result)
    if (!meta || remaining <= 0 || (Connector && meta.Connector !== Connector)) return result
    await new Promise(resolve => setTimeout(resolve, delayMs))
  }
}
