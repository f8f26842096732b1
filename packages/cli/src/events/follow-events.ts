import { type ApiClient, explainApiError } from '../api/api-client.ts'
import type { EventType, WebhookEvent } from '../api/sdk.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Passes events to `handle` one after the other, until the command is ended. Reconnects after a lost connection. */
export const followEvents = async (
  { client, url, access }: ApiClient,
  types: ReadonlySet<EventType> | null,
  terminal: Terminal,
  handle: (event: WebhookEvent) => Promise<void>,
): Promise<void> => {
  const signal = terminal.handleStop()
  let connections = 0
  const stream = client.events.stream({
    signal,
    onConnect: () =>
      terminal.notice(connections++ === 0 ? `Connected to ${url}. Ctrl-C ends.` : 'Connected again.'),
    onDisconnect: (_error, delayMs) =>
      terminal.notice(`The connection to ${url} was lost. Trying again in ${Math.ceil(delayMs / 1000)} s.`),
  })
  try {
    for await (const event of stream) {
      if (types === null || types.has(event.type)) await handle(event)
      if (signal.aborted) return
    }
  } catch (error) {
    if (!signal.aborted) throw explainApiError(error, access)
  }
}
