import { inspect } from 'node:util'

const HIDDEN = '[secret]'

/**
 * A value that must not be printed. Logging, serializing or concatenating it reveals nothing; calls of `reveal` are
 * easy to search for.
 */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
    return this.#value
  }

  toString(): string {
    return HIDDEN
  }

  toJSON(): string {
    return HIDDEN
  }

  [inspect.custom](): string {
    return HIDDEN
  }
}
