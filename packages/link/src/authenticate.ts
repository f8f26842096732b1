import { findAuthenticateMeta as find } from '@carabiner/contract/find-authenticate-meta'
import { createLink as createRealLink } from './create-link.ts'
import { LinkError } from './link-error.ts'
import type { AuthenticateMeta, LinkAppearance, LinkCallbacks, LinkSuccess } from './types.ts'

/** The payload, wherever it is in a tool result, a streamed event, a JSON-RPC answer or JSON text. Never throws. */
export const findAuthenticateMeta: (value: unknown) => AuthenticateMeta | null = find

export type OnAuthenticateMetaOptions<Item = unknown> = LinkCallbacks &
  LinkAppearance & {
    /** Every event of the stream before the one that asks for a connection. */
    onItem?: (item: Item) => void
    /** For tests: what makes Link. */
    createLink?: typeof createRealLink
  }

export type Authenticated = LinkSuccess & { meta: AuthenticateMeta }

/**
 * Watches a tool result, or a stream of an agent's events, for a call that needs a connection; stops reading there and opens
 * Link. Resolves once the account is connected, and with `null` where nothing asked for one. Rejects with a `LinkError`
 * where it failed; its code is `exited` where the person closed Link.
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
      const giveUp = (error: LinkError): void => {
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
          // Once it is shown, `onExit` tells.
          if (event[0] === 'error' && !wasShown) giveUp(event[1])
          if (event[0] === 'open') wasShown = true
        },
        onSuccess: success => {
          options.onSuccess?.(success)
          resolve({ ...success, meta })
        },
        onExit: error => {
          options.onExit?.(error)
          giveUp(error ?? new LinkError('exited', 'The person closed Link.'))
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
    // Leaving the loop ends the stream.
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

/** Not every browser can iterate a stream by itself. */
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
  /** Only a payload for this Connector is worth another try. */
  Connector?: string
  /** Runs in all: 4 unless told, half a second, one and two seconds apart. */
  tries?: number
  /** Before the second run, in milliseconds; doubled each time. */
  delay?: number
}

/** Runs the prompt again after success. Right then a tool call may still ask for the connection, for a moment. */
export const retryAfterLink = async <Result>(
  run: () => Result | Promise<Result>,
  { Connector, tries = 4, delay = 500 }: RetryOptions = {},
): Promise<Result> => {
  for (let left = tries - 1, wait = delay; ; left--, wait *= 2) {
    const result = await run()
    const meta = findAuthenticateMeta(result)
    if (!meta || left <= 0 || (Connector && meta.Connector !== Connector)) return result
    await new Promise(resolve => setTimeout(resolve, wait))
  }
}
