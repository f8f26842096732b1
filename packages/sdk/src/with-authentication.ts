import { type AuthenticateMeta, findAuthenticateMeta } from './authenticate-meta.ts'
import { sleep } from './retry.ts'

export type RetryOptions = {
  /** Calls after the account is connected: 4 unless told. */
  tries?: number | undefined
  /** Before the second of them, in milliseconds; doubled each time. 250 unless told. */
  delay?: number | undefined
}
export type AuthenticationOptions = {
  /**
   * Has the person connect the account, and resolves once that is done. `false`: it was not, and the payload stays the answer
   * of the call. Calls that need the same Connector at the same time share one.
   */
  onAuthenticate: (meta: AuthenticateMeta) => unknown
  retry?: RetryOptions | undefined
  signal?: AbortSignal | undefined
}

/** A tool call that has the account connected where it is not, and goes on from there. */
export const withAuthentication = <Given extends unknown[], Result>(
  callTool: (...given: Given) => Promise<Result>,
  { onAuthenticate, retry = {}, signal }: AuthenticationOptions,
): ((...given: Given) => Promise<Result>) => {
  const asked = new Map<string, Promise<unknown>>()
  const ask = (meta: AuthenticateMeta): Promise<unknown> => {
    const asking =
      asked.get(meta.Connector) ??
      (async () => onAuthenticate(meta))().finally(() => asked.delete(meta.Connector))
    asked.set(meta.Connector, asking)
    return asking
  }

  return async (...given) => {
    const result = await callTool(...given)
    const meta = findAuthenticateMeta(result)
    if (!meta) return result
    signal?.throwIfAborted()
    return (await ask(meta)) === false
      ? result
      : callUntilConnected(() => callTool(...given), meta, { ...retry, signal })
  }
}

/** Right after success a call may still ask for the connection, for a moment. */
const callUntilConnected = async <Result>(
  call: () => Promise<Result>,
  { Connector }: AuthenticateMeta,
  { tries = 4, delay = 250, signal }: RetryOptions & { signal: AbortSignal | undefined },
): Promise<Result> => {
  for (let left = tries, pause = delay; ; left--, pause *= 2) {
    signal?.throwIfAborted()
    const result = await call()
    if (left <= 1 || findAuthenticateMeta(result)?.Connector !== Connector) return result
    await sleep(pause, signal)
  }
}
