import type { Dispatcher } from 'undici'
import { EgressError } from './egress-error.ts'

type Controller = Dispatcher.DispatchController
type ResponseHeaders = Record<string, string | string[] | undefined>

/** The head of a response, and its body, which is read once: whole or in chunks. */
export type IncomingResponse = { status: number; headers: ResponseHeaders; body: IncomingBody }

/** `onEnd` is called when the body has arrived, has failed or was discarded. */
type Limits = { maxBytes: number; signal: AbortSignal; onEnd: () => void }

/** The connection is paused while more than this waits to be read in chunks. */
const MAX_WAITING_BYTES = 64 * 1024

export const tooLarge = (maxBytes: number): EgressError =>
  new EgressError('too_large', `The response is larger than ${maxBytes} bytes.`)

/**
 * Sends a request, and resolves when the head of the response has arrived. The body is not a Node stream, which would cost more than
 * the rest of an ordinary exchange.
 */
export const dispatchRequest = (
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { maxBytes, signal, onEnd }: Limits,
): Promise<IncomingResponse> =>
  new Promise((resolve, reject) => {
    const abort = () => body.abort(signal.reason as Error)
    const body = new IncomingBody(maxBytes, failure => {
      signal.removeEventListener('abort', abort)
      onEnd()
      if (failure) reject(failure)
    })
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    dispatcher.dispatch(options, {
      onRequestStart: controller => body.start(controller),
      onResponseStart: (_, status, headers) => {
        // An informational response precedes the final one.
        if (status >= 200) resolve({ status, headers, body })
      },
      onResponseData: (_, chunk) => body.add(chunk),
      onResponseEnd: () => body.end(),
      onResponseError: (_, error) => body.end(error),
    })
  })

export class IncomingBody {
  readonly #maxBytes: number
  readonly #onEnd: (failure: Error | null) => void
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #totalBytes = 0
  #ended = false
  #failure: Error | null = null
  #readsWhole = false
  #controller: Controller | null = null
  #wakeReader: () => void = () => undefined

  constructor(maxBytes: number, onEnd: (failure: Error | null) => void) {
    this.#maxBytes = maxBytes
    this.#onEnd = onEnd
  }

  start(controller: Controller): void {
    this.#controller = controller
    // Aborted while it waited for a connection.
    if (this.#failure) controller.abort(this.#failure)
  }

  add(chunk: Buffer): void {
    if (this.#ended) return
    this.#totalBytes += chunk.length
    if (this.#totalBytes > this.#maxBytes) return this.abort(tooLarge(this.#maxBytes))
    this.#waiting.push(chunk)
    if (this.#readsWhole) return
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#controller?.pause()
    this.#wakeReader()
  }

  end(failure: Error | null = null): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#onEnd(failure)
    this.#wakeReader()
  }

  /** Closes the connection, unless the body has already arrived. */
  abort(reason: Error): void {
    if (this.#ended) return
    this.end(reason)
    this.#controller?.abort(reason)
  }

  discard(): void {
    this.abort(new Error('The response was discarded.'))
  }

  /** The whole body in one buffer. */
  async bytes(): Promise<Buffer> {
    this.#readsWhole = true
    this.#controller?.resume()
    if (!this.#ended) await this.#changed()
    if (this.#failure) throw this.#failure
    return this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting)
  }

  /** Leaving the loop closes the connection, even if the response never ends. */
  async *chunks(): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        const chunk = this.#waiting.shift()
        if (chunk) {
          this.#waitingBytes -= chunk.length
          if (this.#waitingBytes <= MAX_WAITING_BYTES) this.#controller?.resume()
          yield chunk
        } else if (!this.#ended) await this.#changed()
        else if (this.#failure) throw this.#failure
        else return
      }
    } finally {
      this.discard()
    }
  }

  #changed(): Promise<void> {
    return new Promise(resolve => {
      this.#wakeReader = resolve
    })
  }
}
