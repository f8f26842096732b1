import { inspect } from 'node:util'

const HIDDEN = '[secret]'

/** A value that must not be printed. Logging, serialising or concatenating it shows nothing; `reveal` is greppable. */
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
