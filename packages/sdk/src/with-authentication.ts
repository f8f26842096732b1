import { type AuthenticateMeta, findAuthenticateMeta } from './authenticate-meta.ts'
import { sleep } from './retry.ts'

export type RetryOptions = {
  /** Maximum number of calls after the account is connected. Default: 4. */
  tries?: number | undefined
  /** Milliseconds before the second call, doubled for each further one. Default: 250. */
  delay?: number | undefined
}
export type AuthenticationOptions = {
  /**
   * Lets the user connect the account and resolves when that is done. Resolve with `false` if the user did not connect; the call
   * then returns the payload. Concurrent calls for the same Connector share one invocation.
   */
  onAuthenticate: (meta: AuthenticateMeta) => unknown
  retry?: RetryOptions | undefined
  signal?: AbortSignal | undefined
}

/** Wraps a tool call: if the account is not connected, it invokes `onAuthenticate` and then repeats the call. */
export const withAuthentication = <Args extends unknown[], Result>(
  callTool: (...args: Args) => Promise<Result>,
  { onAuthenticate, retry = {}, signal }: AuthenticationOptions,
): ((...args: Args) => Promise<Result>) => {
  const pending = new Map<string, Promise<unknown>>()
  const authenticate = (meta: AuthenticateMeta): Promise<unknown> => {
    const current =
      pending.get(meta.Connector) ??
      (async () => onAuthenticate(meta))().finally(() => pending.delete(meta.Connector))
    pending.set(meta.Connector, current)
    return current
  }

  return async (...args) => {
    const result = await callTool(...args)
    const meta = findAuthenticateMeta(result)
    if (!meta) return result
    signal?.throwIfAborted()
    return (await authenticate(meta)) === false
      ? result
      : callUntilConnected(() => callTool(...args), meta, { ...retry, signal })
  }
}

/** A call made right after success may still return the payload for a moment. */
const callUntilConnected = async <Result>(
  call: () => Promise<Result>,
  { Connector }: AuthenticateMeta,
  { tries = 4, delay = 250, signal }: RetryOptions & { signal: AbortSignal | undefined },
): Promise<Result> => {
  for (let remaining = tries, delayMs = delay; ; remaining--, delayMs *= 2) {
    signal?.throwIfAborted()
    const result = await call()
    if (remaining <= 1 || findAuthenticateMeta(result)?.Connector !== Connector) return result
    await sleep(delayMs, signal)
  }
}
